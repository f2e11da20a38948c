package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Findings for people: what, since when, how much, why. */
final class FindingTable {
  private FindingTable() {}

  /** Four lines per finding, from its public JSON. */
  static List<String> lines(Collection<JsonNode> findings) {
    List<String> lines = new ArrayList<>();
    for (JsonNode finding : findings) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-6s %-8s %s  %s %s %s  since %s",
              text(finding, "/severity"),
              text(finding, "/state"),
              text(finding, "/deployment"),
              text(finding, "/metric"),
              text(finding, "/statistic"),
              text(finding, "/direction"),
              text(finding, "/onset_at")));
      lines.add("       size " + FindingNumbers.size(finding));
      lines.add("       cause " + cause(finding));
      lines.add("       id " + text(finding, "/finding_id"));
    }
    return lines;
  }

  private static String cause(JsonNode finding) {
    String why = text(finding, "/verdict/why");
    return text(finding, "/verdict/cause") + (why.equals("-") ? "" : ": " + why);
  }

  /** Text of a finding comes from records: a control character must not reach the terminal. */
  static String text(JsonNode node, String pointer) {
    JsonNode value = node.at(pointer);
    return value.isMissingNode() || value.isNull()
        ? "-"
        : value.asText().replaceAll("\\p{Cntrl}", "?");
  }
}
