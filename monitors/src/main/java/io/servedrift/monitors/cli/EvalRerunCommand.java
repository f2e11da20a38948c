package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.Provenance;
import io.servedrift.monitors.ledger.SafeCommand;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.monitors.ledger.io.ScoreSource;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.EvalResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "rerun",
    description = {
      "Run the stored command of a score against the configuration that serves now.",
      "The new record supersedes the old one. Nothing is run without --yes: the command comes from"
          + " the ledger, so read it first."
    })
final class EvalRerunCommand extends LedgerCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "eval_id of the score.")
  private String id = "";

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      required = true,
      description = "What is measured now.")
  private String endpoint = "";

  @Mixin private final EndpointAccess asking = new EndpointAccess();

  @Option(
      names = "--results",
      paramLabel = "PATH",
      description = "Where the command writes its results; needed when it does not name {results}.")
  private @Nullable Path results;

  @Option(
      names = "--model-config",
      paramLabel = "FILE",
      description = "The model, when the endpoint does not say it.")
  private @Nullable Path modelConfig;

  @Option(
      names = "--stderr",
      paramLabel = "NUMBER",
      description = "Standard error of the new score; default: what the result file says.")
  private @Nullable Double stderr;

  @Option(
      names = "--concurrency",
      paramLabel = "NUMBER",
      description = "Mean number of requests in flight; a latency means nothing without it.")
  private @Nullable Double concurrency;

  @Option(
      names = "--force",
      description = "Measure although another model or deployment serves than was measured.")
  private boolean force;

  @Option(names = "--yes", description = "Run the command.")
  private boolean yes;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who records; default: the user of this process.")
  private String by = System.getProperty("user.name", "unknown");

  @Parameters(
      index = "1..*",
      paramLabel = "COMMAND",
      description = "After --: run this in place of the stored command.")
  private final List<String> command = new ArrayList<>();

  EvalRerunCommand(CommandContext context) {
    super(context);
  }

  @Override
  void requireUsable() {
    if (!command.isEmpty()
        && !spec().commandLine().getParseResult().originalArgs().contains("--")) {
      throw CommandFailure.usage(
          "'" + command.get(0) + "': one ID; the command that measures stands after --");
    }
  }

  @Override
  ExitCode run(LedgerAccess access) throws IOException, InterruptedException {
    String address = EndpointAccess.address(endpoint);
    LedgerEntry old = find(read(access), id);
    List<String> chosen = command.isEmpty() ? stored(old, address) : command;
    if (!yes) {
      throw CommandFailure.usage(
          "nothing was run; --yes runs, against "
              + address
              + ":\n  "
              + SafeCommand.text(SafeCommand.of(chosen).arguments()));
    }
    Fingerprint given = givenModel();
    access.requireWritable();
    MeasuredRun run =
        MeasuredRun.of(
            address, asking, chosen, results, system -> requireFits(system, old, given), context());
    Path file = run.results();
    if (file == null) {
      throw new IllegalStateException("a run without a result file");
    }
    Measurement measurement = ScoreSource.again(old, stderr).read(file);
    run.requireWithin(measurement);
    Fingerprint said = run.before().model();
    EvalResult result = old.result();
    Provenance provenance =
        new Provenance(
                run.before().deployment(),
                run.before().config(),
                said == null ? given : said,
                measurement.harness() == null ? result.getHarness() : measurement.harness(),
                measurement.version(),
                null,
                null,
                concurrency,
                SafeCommand.of(chosen)
                    .generalised(address, results == null ? "" : results.toString()),
                old.resultPaths(),
                new Provenance.AskedSystem(address, true, null, List.of()),
                by,
                null)
            .during(run.from(), run.to())
            .servedBy(result.getDeployment());
    List<LedgerEntry> entries =
        EvalWriter.records(measurement, provenance, old, context().clock().instant());
    entries.forEach(entry -> noteLost(old, entry));
    EvalWriter.write(access, entries, this);
    return ExitCode.DONE;
  }

  private @Nullable Fingerprint givenModel() throws IOException {
    if (modelConfig == null) {
      return null;
    }
    Fingerprint model = ConfigDocument.read(modelConfig, context().terminal().in()).model();
    if (model == null) {
      throw CommandFailure.usage(modelConfig + ": holds no model");
    }
    return model;
  }

  /** A score of another model or deployment does not take the place of this one unasked. */
  private void requireFits(SystemCapture system, LedgerEntry old, @Nullable Fingerprint given) {
    if (system.model() != null && given != null) {
      throw CommandFailure.usage("--model-config: the endpoint says the model");
    }
    Fingerprint model = system.model() == null ? given : system.model();
    List<String> others = new ArrayList<>();
    if (model != null && old.modelId() != null && !model.id().equals(old.modelId())) {
      others.add("another model (" + model.id() + ", not " + old.modelId() + ")");
    }
    String deployment = old.result().getDeployment();
    if (deployment != null
        && system.deployment() != null
        && !deployment.equals(system.deployment())) {
      others.add("deployment " + system.deployment() + ", not " + deployment);
    }
    if (!others.isEmpty() && !force) {
      throw CommandFailure.usage(
          old.id()
              + ": the endpoint serves "
              + EvalText.printable(String.join(" and ", others))
              + "; nothing was run; --force measures it and takes the place of the score");
    }
  }

  /** A score that says less than the one it replaces must not do so in silence. */
  private void noteLost(LedgerEntry old, LedgerEntry now) {
    Map<String, Function<EvalResult, @Nullable Object>> members = new LinkedHashMap<>();
    members.put("model (--model-config)", EvalResult::getModelId);
    members.put("standard error (--stderr)", EvalResult::getStderr);
    members.put("n", EvalResult::getN);
    members.put("concurrency (--concurrency)", EvalResult::getConcurrency);
    members.put("digest of the data", EvalResult::getDatasetDigest);
    members.put("version of the harness", EvalResult::getHarnessVersion);
    members.forEach(
        (what, member) -> {
          if (member.apply(old.result()) != null && member.apply(now.result()) == null) {
            note(old.id() + " says a " + what + ", the new score does not");
          }
        });
    if (!now.isOfTheSame(old)) {
      note(old.id() + " is of other data, and stands");
    }
  }

  private void note(String text) {
    context().terminal().err().println("servedrift: " + text);
  }

  /** The command of the record, when it can measure something else than it did. */
  private static List<String> stored(LedgerEntry old, String address) {
    EvalResult result = old.result();
    List<String> kept = old.command().arguments();
    if (kept.isEmpty()) {
      throw CommandFailure.usage(old.id() + ": no command was recorded with it; give one after --");
    }
    if (EvalDigest.standing(result) != EvalDigest.Standing.INTACT) {
      throw CommandFailure.usage(
          old.id() + ": the record is not as it was made; give the command after --");
    }
    if (!old.command().leftOut().isEmpty()) {
      throw CommandFailure.usage(
          old.id()
              + ": may be secret and was not kept: "
              + EvalText.printable(String.join(", ", old.command().leftOut()))
              + "; give the whole command after --, secrets best by the environment");
    }
    boolean names = kept.stream().anyMatch(a -> a.contains(SafeCommand.ENDPOINT));
    if (!names && !address.equals(result.getEndpoint())) {
      throw CommandFailure.usage(
          old.id()
              + ": its command does not name {endpoint}, so it would measure what it measured"
              + " before; give one after --");
    }
    return kept;
  }
}
