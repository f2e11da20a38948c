package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A finding of a written report: what the finding itself does not hold are its cells. */
final class ReportedFinding {
  private ReportedFinding() {}

  /**
   * The entry of a finding in the document of a report.
   *
   * @throws CommandFailure when the folder holds no report, or the report no such finding
   */
  static ObjectNode read(Path folder, String id) throws IOException {
    return find(folder, id)
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "finding " + id + ": not in " + folder.resolve(Report.DOCUMENT)));
  }

  /**
   * The same, empty when the report holds no such finding.
   *
   * @throws CommandFailure when the folder holds no report
   */
  static Optional<ObjectNode> find(Path folder, String id) throws IOException {
    Path file = folder.resolve(Report.DOCUMENT);
    JsonNode document = JsonOutput.parse(Files.readString(file));
    if (document == null || !document.path("findings").isArray()) {
      throw CommandFailure.usage(file + ": is no report");
    }
    for (JsonNode entry : document.path("findings")) {
      if (entry instanceof ObjectNode found
          && found.at("/finding/finding_id").asText().equals(id)) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  /** Cells and the contrast per covariate, for people. */
  static List<String> lines(JsonNode entry) {
    List<String> lines = new ArrayList<>();
    if (!entry.path("cells_state").asText().equals("sufficient")) {
      lines.add("cells: insufficient, " + FindingTable.text(entry, "/cells_because"));
      return lines;
    }
    boolean tail = entry.path("heat_map_of").asText().equals("share_beyond");
    lines.add(
        "cells: "
            + (tail
                ? "share of requests beyond "
                    + FindingNumbers.number(entry.path("heat_map_limit"))
                    + " in cache by batch, plain means by covariate"
                : "plain means")
            + ", not like for like; baseline "
            + range(entry.path("baseline_cells"))
            + ", now "
            + range(entry.path("current_cells")));
    lines.add("");
    lines.add(row("cell", "n before", "n now", "before", "now", "change (95 %)"));
    for (JsonNode cell : entry.path("heat_map")) {
      lines.add(
          row(
              "cache="
                  + FindingTable.text(cell, "/cache")
                  + " batch="
                  + FindingTable.text(cell, "/batch"),
              cell));
    }
    lines.add("");
    lines.add(row("covariate", "n before", "n now", "before", "now", "change (95 %)"));
    for (JsonNode bucket : entry.path("by_covariate")) {
      lines.add(
          row(
              FindingTable.text(bucket, "/covariate") + "=" + FindingTable.text(bucket, "/bucket"),
              bucket));
    }
    return lines;
  }

  private static String range(JsonNode side) {
    return FindingTable.text(side, "/from")
        + " to "
        + FindingTable.text(side, "/to")
        + " (n="
        + FindingTable.text(side, "/n")
        + ")";
  }

  private static String row(String name, JsonNode cell) {
    String change =
        cell.path("state").asText().equals("sufficient")
            ? String.format(
                Locale.ROOT,
                "%s (%s..%s)",
                FindingNumbers.signed(cell.path("difference").asDouble()),
                FindingNumbers.number(cell.path("interval").path(0)),
                FindingNumbers.number(cell.path("interval").path(1)))
            : "insufficient";
    return row(
        name,
        FindingTable.text(cell, "/baseline/n"),
        FindingTable.text(cell, "/current/n"),
        mean(cell, "/baseline"),
        mean(cell, "/current"),
        change);
  }

  private static String mean(JsonNode cell, String side) {
    JsonNode mean = cell.at(side + "/mean");
    return mean.isNumber() ? FindingNumbers.number(mean) : "-";
  }

  private static String row(
      String name, String nBefore, String nNow, String before, String now, String change) {
    return String.format(
        Locale.ROOT, "  %-34s %9s %9s %10s %10s  %s", name, nBefore, nNow, before, now, change);
  }
}
