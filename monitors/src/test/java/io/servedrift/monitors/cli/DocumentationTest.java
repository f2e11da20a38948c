package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.ImportCatalogue;
import io.servedrift.monitors.cli.settings.SettingsTable;
import io.servedrift.monitors.gate.GatePolicy;
import io.servedrift.monitors.policy.PolicyTable;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Tables in the documentation that follow from code. {@code -Dservedrift.docs.write=true} writes
 * them anew.
 */
class DocumentationTest {

  private final CommandLine root = CommandTree.of(new CommandLineHarness().context());

  @Test
  void readmeListsTheCommandsThereAre() {
    StringBuilder wanted = new StringBuilder("| command | does |\n|---|---|\n");
    for (Map.Entry<String, CommandLine> command : root.getSubcommands().entrySet()) {
      String[] description = command.getValue().getCommandSpec().usageMessage().description();
      wanted.append("| `" + command.getKey() + "` | " + description[0] + " |\n");
    }

    Documents.requirePart("README.md", "commands", wanted.toString());
  }

  @Test
  void readmeListsTheExitCodesThereAre() {
    StringBuilder wanted = new StringBuilder("| code | means |\n|---|---|\n");
    for (ExitCode code : ExitCode.values()) {
      wanted.append("| " + code.code() + " | " + code.meaning() + " |\n");
    }

    Documents.requirePart("README.md", "exit-codes", wanted.toString());
  }

  @Test
  void monitorsReadmeListsTheSettingsThereAre() {
    Documents.requirePart("monitors/README.md", "settings", SettingsTable.markdown());
  }

  @Test
  void ingestReadmeListsTheSettingsOfTheGateway() {
    GatewayCommand gateway = new GatewayCommand(new CommandLineHarness().context());

    Documents.requirePart(
        "ingest/README.md",
        "gateway-settings",
        SettingsTable.markdown(gateway.settings(), gateway.defaults()));
  }

  @Test
  void ingestReadmeListsTheSettingsOfAnImportedTopic() {
    Documents.requirePart(
        "ingest/README.md",
        "import-settings",
        SettingsTable.markdown(ImportCatalogue.all(), Map.of()));
  }

  @Test
  void monitorsReadmeListsTheFieldsOfAPolicy() {
    Documents.requirePart("monitors/README.md", "policy-fields", PolicyTable.fields());
  }

  @Test
  void monitorsReadmeListsTheFieldsOfAGatePolicy() {
    Documents.requirePart("monitors/README.md", "gate-policy", GatePolicy.table());
  }

  @Test
  void monitorsReadmeListsTheDefaultsOfMetrics() {
    Documents.requirePart("monitors/README.md", "policy-metrics", PolicyTable.metricDefaults());
  }
}
