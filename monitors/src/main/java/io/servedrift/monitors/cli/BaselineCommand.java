package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.Finding;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "baseline",
    description = "List, pin and promote what traffic is compared with.",
    synopsisSubcommandLabel = "COMMAND")
final class BaselineCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  @Command(name = "list", description = "The baselines that findings name.")
  static final class Listing extends SettingsCommand {
    @Option(
        names = "--deployment",
        paramLabel = "NAME",
        description = "Only baselines of this deployment.")
    private @Nullable String deployment;

    @Option(names = "--json", description = "One JSON document.")
    private boolean json;

    Listing(CommandContext context) {
      super(context);
    }

    @Override
    List<Setting<?>> settings() {
      return List.of(
          SettingsCatalogue.BOOTSTRAP_SERVERS,
          SettingsCatalogue.EMBEDDED,
          SettingsCatalogue.TOPIC_PREFIX);
    }

    @Override
    public Integer call() {
      Settings settings = resolveSettings();
      Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
      Map<String, ObjectNode> baselines = new LinkedHashMap<>();
      try (BrokerConnection broker = BrokerConnection.open(settings)) {
        for (Finding finding :
            FindingsTopic.read(
                broker, topics, f -> deployment == null || deployment.equals(f.getDeployment()))) {
          JsonNode body = JsonOutput.parse(finding.getBody());
          if (body != null && body.path("baseline").has("id")) {
            ObjectNode baseline = body.get("baseline").deepCopy();
            baseline.put("deployment", finding.getDeployment());
            baseline.put("metric", finding.getMetric());
            baselines.put(baseline.get("id").asText(), baseline);
          }
        }
      }
      print(baselines);
      return ExitCode.DONE.code();
    }

    private void print(Map<String, ObjectNode> baselines) {
      PrintWriter out = context().terminal().out();
      if (json) {
        ObjectNode document = JsonOutput.document();
        ArrayNode list = document.putArray("baselines");
        baselines.values().forEach(list::add);
        JsonOutput.print(document, out);
        return;
      }
      if (baselines.isEmpty()) {
        out.println("no finding names a baseline");
      }
      for (ObjectNode baseline : baselines.values()) {
        out.println(
            String.join(
                "  ",
                FindingTable.text(baseline, "/id"),
                FindingTable.text(baseline, "/deployment"),
                FindingTable.text(baseline, "/metric"),
                FindingTable.text(baseline, "/kind"),
                FindingTable.text(baseline, "/from") + " .. " + FindingTable.text(baseline, "/to"),
                "n=" + FindingTable.text(baseline, "/n")));
      }
    }
  }

  /** What pin and promote share: whose baseline. */
  abstract static class Choosing extends DecisionCommand {
    @Option(
        names = "--deployment",
        paramLabel = "NAME",
        required = true,
        description = "Whose baseline.")
    private String deployment = "";

    @Option(
        names = "--config-id",
        paramLabel = "ID",
        description = "Only of this configuration; default: all.")
    private @Nullable String configId;

    Choosing(CommandContext context) {
      super(context);
    }

    final Decision.Builder chosen(DecisionKind kind) {
      return Decision.newBuilder().setKind(kind).setDeployment(deployment).setConfigId(configId);
    }
  }

  @Command(
      name = "pin",
      description =
          "Compare with the traffic of a fixed time until another decision says otherwise.")
  static final class Pin extends Choosing {
    @Option(
        names = "--from",
        paramLabel = "TIME",
        required = true,
        converter = FileInput.TimeConverter.class,
        description = "Start of the range to learn from, ISO-8601 with zone.")
    private Instant from = Instant.MIN;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        required = true,
        converter = FileInput.TimeConverter.class,
        description = "End of the range, not included.")
    private Instant to = Instant.MIN;

    Pin(CommandContext context) {
      super(context);
    }

    @Override
    Decision.Builder decide(BrokerConnection broker, Topics topics) {
      if (!from.isBefore(to)) {
        throw CommandFailure.usage("--from " + from + ": must be before --to " + to);
      }
      return chosen(DecisionKind.BASELINE_PIN).setFrom(from).setTo(to);
    }
  }

  @Command(
      name = "promote",
      description = "Make what a configuration does the normal, by hand or after a passed gate.")
  static final class Promote extends Choosing {
    Promote(CommandContext context) {
      super(context);
    }

    @Override
    Decision.Builder decide(BrokerConnection broker, Topics topics) {
      return chosen(DecisionKind.BASELINE_PROMOTE);
    }
  }
}
