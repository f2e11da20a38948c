package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "explain", description = "Everything behind one finding.")
final class ExplainCommand extends SettingsCommand {
  @Parameters(paramLabel = "ID", description = "finding_id.")
  private String id = "";

  @Option(
      names = "--file",
      paramLabel = "FINDINGS",
      description = "Findings as replay --json prints them; without it: the findings topic.")
  private @Nullable Path file;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Folder that replay --report wrote: shows also its cells, baseline against now.")
  private @Nullable Path report;

  @Option(names = "--json", description = "One JSON document.")
  private boolean json;

  ExplainCommand(CommandContext context) {
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
  public Integer call() throws IOException {
    if (report != null && file != null) {
      throw CommandFailure.usage("--report and --file: one of them");
    }
    if (report != null) {
      printReported(ReportedFinding.read(report, id));
      return ExitCode.DONE.code();
    }
    List<JsonNode> states = file == null ? fromTopic() : fromFile(file);
    if (states.isEmpty()) {
      throw CommandFailure.usage("finding " + id + ": not found");
    }
    print(states);
    return ExitCode.DONE.code();
  }

  private List<JsonNode> fromFile(Path findings) throws IOException {
    JsonNode found = FindingComparison.read(findings).get(id);
    return found == null ? List.of() : List.of(found);
  }

  private List<JsonNode> fromTopic() {
    Settings settings = resolveSettings();
    Topics topics = new Topics(settings.get(SettingsCatalogue.TOPIC_PREFIX));
    List<JsonNode> states = new ArrayList<>();
    try (BrokerConnection broker = BrokerConnection.open(settings)) {
      for (Finding finding :
          FindingsTopic.read(broker, topics, found -> found.getFindingId().equals(id))) {
        JsonNode body = JsonOutput.parse(finding.getBody());
        if (body != null) {
          states.add(body);
        }
      }
    }
    return states;
  }

  private void printReported(ObjectNode entry) {
    PrintWriter out = context().terminal().out();
    if (json) {
      JsonOutput.print(JsonOutput.document().setAll(entry), out);
      return;
    }
    FindingTable.lines(List.of(entry.path("finding"))).forEach(out::println);
    out.println();
    tree(entry.path("finding"), "").forEach(out::println);
    out.println();
    ReportedFinding.lines(entry).forEach(out::println);
  }

  private void print(List<JsonNode> states) {
    PrintWriter out = context().terminal().out();
    JsonNode last = states.get(states.size() - 1);
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.set("finding", last);
      ArrayNode history = document.putArray("history");
      states.forEach(history::add);
      JsonOutput.print(document, out);
      return;
    }
    FindingTable.lines(List.of(last)).forEach(out::println);
    out.println();
    tree(last, "").forEach(out::println);
    if (states.size() > 1) {
      out.println();
      out.println("written " + states.size() + " times:");
      states.forEach(
          state ->
              out.println(
                  "  "
                      + FindingTable.text(state, "/state")
                      + "  "
                      + FindingTable.text(state, "/severity")
                      + "  "
                      + FindingTable.text(state, "/verdict/cause")));
    }
  }

  /** All of an object as indented lines, in its own order. */
  private static List<String> tree(JsonNode node, String indent) {
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      JsonNode value = entry.getValue();
      String name = indent + entry.getKey().replaceAll("\\p{Cntrl}", "?");
      if (value.isObject()) {
        lines.add(name);
        lines.addAll(tree(value, indent + "  "));
      } else if (value.isArray() && !value.isEmpty() && value.get(0).isObject()) {
        lines.add(name);
        for (JsonNode item : value) {
          List<String> inner = tree(item, indent + "    ");
          inner.set(0, indent + "  - " + inner.get(0).strip());
          lines.addAll(inner);
        }
      } else {
        String text = value.isValueNode() ? value.asText() : value.toString();
        lines.add(name + "  " + text.replaceAll("\\p{Cntrl}", "?"));
      }
    }
    return lines;
  }
}
