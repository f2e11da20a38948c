package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.report.Report;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Finding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
      description =
          "Findings as replay --json prints them; without it: the findings topic of the broker"
              + " that is named, else the last replay.")
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
    } else if (file != null) {
      printFound(FindingFile.of(file, id), file.toString());
    } else {
      Settings settings = resolveSettings();
      boolean broker =
          settings.find(SettingsCatalogue.BOOTSTRAP_SERVERS).isPresent()
              || settings.find(SettingsCatalogue.EMBEDDED).isPresent();
      List<JsonNode> states = broker ? fromTopic(settings) : List.of();
      if (states.isEmpty()) {
        printLast(broker ? "not in the findings topic, " : "");
      } else {
        print(states);
      }
    }
    return ExitCode.DONE.code();
  }

  private void printFound(List<JsonNode> states, String place) {
    if (states.isEmpty()) {
      throw CommandFailure.usage("finding " + id + ": not found in " + place);
    }
    print(states);
  }

  /** What the last replay showed: explain right after it needs no option. */
  private void printLast(String before) throws IOException {
    Optional<LastReplay> last = LastReplay.find(context().environment());
    Optional<JsonNode> finding = last.flatMap(replay -> replay.finding(id));
    if (last.isEmpty() || finding.isEmpty()) {
      throw CommandFailure.usage(
          "finding "
              + id
              + ": "
              + before
              + (last.isEmpty() ? "no replay is remembered" : notInLast(last.get()))
              + "; needs --report DIR or --file FINDINGS of a replay, or a broker"
              + " (--bootstrap-servers HOST:PORT or --embedded DIR)");
    }
    context()
        .terminal()
        .err()
        .println("from the replay of " + last.get().at() + ": " + last.get().command());
    Path folder = last.get().report();
    // A report holds fewer findings than are remembered.
    Optional<ObjectNode> reported =
        folder != null && Files.isReadable(folder.resolve(Report.DOCUMENT))
            ? ReportedFinding.find(folder, id)
            : Optional.empty();
    if (reported.isPresent()) {
      printReported(reported.get());
    } else {
      print(List.of(finding.get()));
    }
  }

  private static String notInLast(LastReplay last) {
    return last.notShown() == 0
        ? "not in the last replay (" + last.command() + ")"
        : "not among the findings that are remembered of the last replay ("
            + last.command()
            + "), "
            + last.notShown()
            + " more were not";
  }

  private List<JsonNode> fromTopic(Settings settings) {
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
    printFinding(entry.path("finding"));
    out.println();
    ReportedFinding.lines(entry).forEach(out::println);
  }

  private void printFinding(JsonNode finding) {
    PrintWriter out = context().terminal().out();
    FindingTable.lines(List.of(finding)).forEach(out::println);
    String strongest = FindingNumbers.strongest(finding);
    if (!strongest.isEmpty()) {
      out.println("       strongest " + strongest);
    }
    out.println();
    out.println("numbers of verdict and decomposition: " + FindingNumbers.unitOfVerdict(finding));
    out.println();
    tree(finding, "").forEach(out::println);
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
    printFinding(last);
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
        lines.add(name + "  " + text(value).replaceAll("\\p{Cntrl}", "?"));
      }
    }
    return lines;
  }

  /** A value, or a list of values in one line. */
  private static String text(JsonNode value) {
    if (value.isNumber()) {
      return FindingNumbers.number(value);
    }
    if (!value.isArray()) {
      return value.isValueNode() ? value.asText() : value.toString();
    }
    List<String> items = new ArrayList<>();
    value.forEach(item -> items.add(text(item)));
    return items.isEmpty() ? "none" : String.join(", ", items);
  }
}
