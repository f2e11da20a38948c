package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.ledger.AxisChanges;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.LiveSystem;
import io.servedrift.monitors.ledger.StalenessCheck;
import io.servedrift.monitors.ledger.Standing;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.monitors.text.Quantities;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "check",
    description = {
      "Which scores describe a configuration that no longer runs.",
      "Exits with 10 when one of them does, and with 11 when there is nothing to compare."
    })
final class EvalCheckCommand extends LedgerCommand {
  @Mixin private final EvalFilter filter = new EvalFilter();

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "Compare with what this endpoint runs, may be repeated; default: what the nodes said"
              + " lately on Kafka.")
  private final List<String> endpoints = new ArrayList<>();

  @Mixin private final EndpointAccess access = new EndpointAccess();

  @Option(
      names = "--within",
      paramLabel = "DURATION",
      defaultValue = "10m",
      converter = DurationConverter.class,
      description =
          "How long ago a node may have spoken last (heartbeat or request); default:"
              + " ${DEFAULT-VALUE}.")
  private Duration within = Duration.ofMinutes(10);

  EvalCheckCommand(CommandContext context) {
    super(context);
  }

  @Override
  ExitCode run(LedgerAccess places) throws IOException, InterruptedException {
    if (endpoints.isEmpty() && !places.hasBroker()) {
      throw CommandFailure.usage(
          "nothing to compare with: needs --endpoint URL, --bootstrap-servers HOST:PORT or"
              + " --embedded DIR");
    }
    Ledger ledger = read(places);
    List<LiveSystem> live =
        endpoints.isEmpty() ? places.live(within, ledger.dictionary()) : asked();
    StalenessCheck check = new StalenessCheck(live);
    List<Standing> found =
        ledger.standing().stream()
            .filter(filter)
            .map(entry -> ledger.dictionary().entry(entry.result()))
            .map(check::of)
            .toList();
    if (json()) {
      print(found, live, ledger);
    } else {
      live.forEach(system -> out().println("running " + text(system)));
      found.forEach(this::print);
      out().println(summary(found));
    }
    return exit(found, ledger);
  }

  private List<LiveSystem> asked() throws IOException, InterruptedException {
    List<LiveSystem> systems = new ArrayList<>();
    for (String endpoint : endpoints) {
      String address = EndpointAccess.address(endpoint);
      SystemCapture seen = access.capture(address, context());
      systems.add(
          new LiveSystem(
              seen.deployment(),
              address,
              seen.config().id(),
              seen.model() == null ? null : seen.model().id(),
              seen.config(),
              seen.model(),
              seen.at()));
    }
    return systems;
  }

  /** Insufficient never passes, nor what may have been a score; neither hides what is stale. */
  private static ExitCode exit(List<Standing> found, Ledger ledger) {
    if (count(found, Standing.State.STALE) > 0) {
      return ExitCode.CHECK_FAILED;
    }
    return found.isEmpty()
            || count(found, Standing.State.UNKNOWN) > 0
            || !ledger.problems().isEmpty()
        ? ExitCode.INSUFFICIENT
        : ExitCode.DONE;
  }

  private static long count(List<Standing> found, Standing.State state) {
    return found.stream().filter(one -> one.state() == state).count();
  }

  private static String word(Standing one) {
    return one.state().name().toLowerCase(Locale.ROOT);
  }

  private static String summary(List<Standing> found) {
    if (found.isEmpty()) {
      return "no scores to check";
    }
    return String.format(
        Locale.ROOT,
        "%d scores: %d current, %d stale, %d unknown",
        found.size(),
        count(found, Standing.State.CURRENT),
        count(found, Standing.State.STALE),
        count(found, Standing.State.UNKNOWN));
  }

  private static String text(LiveSystem system) {
    return EvalText.orDash(system.deployment())
        + "  "
        + EvalText.printable(system.node())
        + "  configuration "
        + EvalText.orDash(system.configId())
        + "  model "
        + EvalText.orDash(system.modelId())
        + "  seen "
        + system.seenAt();
  }

  private void print(Standing one) {
    LedgerEntry entry = one.entry();
    out().println(String.format(Locale.ROOT, "%-8s %s", word(one), EvalText.line(entry)));
    if (!one.changes().isEmpty()) {
      out().println("         now on " + EvalText.printable(one.nearest()) + ":");
    }
    AxisChanges.shown(one.changes())
        .forEach(change -> out().println("           " + EvalText.printable(change)));
    one.notes().forEach(note -> out().println("         " + EvalText.printable(note)));
  }

  private void print(List<Standing> found, List<LiveSystem> live, Ledger ledger) {
    ObjectNode document = JsonOutput.document();
    ArrayNode running = document.putArray("running");
    for (LiveSystem system : live) {
      ObjectNode node = running.addObject();
      put(node, "deployment", system.deployment());
      node.put("node", system.node());
      put(node, "config_id", system.configId());
      put(node, "model_id", system.modelId());
      node.put("seen_at", system.seenAt().toString());
    }
    ArrayNode evals = document.putArray("evals");
    for (Standing one : found) {
      ObjectNode node = evals.addObject().put("state", word(one));
      put(node, "nearest", one.nearest().isEmpty() ? null : one.nearest());
      ArrayNode changes = node.putArray("changed_axes");
      one.changes().forEach(changes::add);
      ArrayNode notes = node.putArray("notes");
      one.notes().forEach(notes::add);
      node.set("eval", one.entry().toJson());
    }
    putProblems(document, ledger);
    JsonOutput.print(document, out());
  }

  private static void put(ObjectNode node, String name, @Nullable String value) {
    if (value != null) {
      node.put(name, value);
    }
  }

  /** Durations as settings have them. */
  static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Quantities.duration(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'" + text + "' must be a duration such as 10m: " + e.getMessage());
      }
    }
  }
}
