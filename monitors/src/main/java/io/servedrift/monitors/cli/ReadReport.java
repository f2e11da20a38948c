package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.files.ReadSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Says what became of the rows of files, as text and as JSON. */
final class ReadReport {

  private ReadReport() {}

  /** A few lines; the first one always adds up: read = accepted + rejected + skipped. */
  static List<String> lines(ReadSummary summary) {
    List<String> lines = new ArrayList<>();
    lines.add(
        format(
            "%,d rows read: %,d accepted, %,d rejected, %,d skipped",
            summary.read(), summary.accepted(), summary.rejected(), summary.skipped()));
    each(lines, "accepted", summary.acceptedByType());
    each(lines, "rejected", summary.rejectedByReason());
    each(lines, "skipped", summary.skippedByReason());
    if (summary.first() != null) {
      lines.add("  event time from " + summary.first() + " to " + summary.last());
    }
    count(lines, summary.registrations(), "configurations and models given inline");
    count(lines, summary.lookalikes(), "requests equal to another in all but the request id, kept");
    count(lines, summary.repeats(), "exact repeats, kept; the monitor counts them as duplicates");
    count(lines, summary.unknownFields(), "unknown fields ignored");
    each(lines, "ignored field", summary.unknownFieldsByName());
    count(lines, summary.cacheConflicts(), "cache flags that contradicted the typed members");
    each(lines, "note", summary.notes());
    summary.emptyFiles().forEach(file -> lines.add("  " + file + " is empty"));
    return lines;
  }

  /** Why no event came of the rows, for a message. */
  static String whyNothing(ReadSummary summary) {
    if (summary.read() == 0) {
      return "the input has no rows";
    }
    if (summary.rejected() == 0) {
      return format(
          "all %,d rows are left out %s", summary.read(), new TreeMap<>(summary.skippedByReason()));
    }
    return format(
        "of %,d rows %,d cannot be used %s; --dead-letters FILE keeps each with its reason, and"
            + " --format and --mapping say how rows are read",
        summary.read(), summary.rejected(), new TreeMap<>(summary.rejectedByReason()));
  }

  static ObjectNode node(ReadSummary summary) {
    ObjectNode node =
        JsonOutput.object()
            .put("read", summary.read())
            .put("accepted", summary.accepted())
            .put("rejected", summary.rejected())
            .put("skipped", summary.skipped());
    counts(node.putObject("accepted_by_type"), summary.acceptedByType());
    counts(node.putObject("rejected_by_reason"), summary.rejectedByReason());
    counts(node.putObject("skipped_by_reason"), summary.skippedByReason());
    node.put("first", summary.first() == null ? null : summary.first().toString());
    node.put("last", summary.last() == null ? null : summary.last().toString());
    node.put("registrations", summary.registrations());
    node.put("lookalikes", summary.lookalikes());
    node.put("repeats", summary.repeats());
    node.put("unknown_fields", summary.unknownFields());
    counts(node.putObject("unknown_fields_by_name"), summary.unknownFieldsByName());
    node.put("cache_conflicts", summary.cacheConflicts());
    counts(node.putObject("notes"), summary.notes());
    ArrayNode empty = node.putArray("empty_files");
    summary.emptyFiles().forEach(empty::add);
    return node;
  }

  static void counts(ObjectNode into, Map<String, Long> counts) {
    new TreeMap<>(counts).forEach(into::put);
  }

  private static void each(List<String> lines, String what, Map<String, Long> counts) {
    new TreeMap<>(counts)
        .forEach((name, count) -> lines.add(format("  %s %s: %,d", what, name, count)));
  }

  private static void count(List<String> lines, long count, String what) {
    if (count > 0) {
      lines.add(format("  %,d %s", count, what));
    }
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
