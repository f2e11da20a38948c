package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.ledger.EvidenceRecord;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.Provenance;
import io.servedrift.monitors.ledger.Score;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the records of a measurement, writes them, and says what it wrote. */
final class EvalWriter {
  private EvalWriter() {}

  /**
   * The records, all of them valid.
   *
   * @param old the record whose place one of them takes: that of the same evaluation, metric and
   *     data; null for none
   */
  static List<LedgerEntry> records(
      Measurement measurement, Provenance provenance, @Nullable LedgerEntry old, Instant now) {
    List<LedgerEntry> entries = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Score score : measurement.scores()) {
      try {
        LedgerEntry entry = EvidenceRecord.of(score, provenance, now);
        entries.add(
            old != null && entry.isOfTheSame(old)
                ? EvidenceRecord.of(score, provenance.superseding(old.id()), now)
                : entry);
      } catch (IllegalArgumentException e) {
        problems.add(score.name() + "/" + score.metric() + ": " + e.getMessage());
      }
    }
    if (!problems.isEmpty()) {
      throw CommandFailure.usage(String.join("\n", problems));
    }
    return entries;
  }

  /**
   * Finds out what would make the records invalid before anything is measured.
   *
   * @param source says everything but the value
   */
  static void requireValid(Measurement source, Provenance provenance, Instant now) {
    records(source, provenance, null, now);
  }

  /** Writes and prints them. */
  static void write(LedgerAccess access, List<LedgerEntry> entries, LedgerCommand command)
      throws IOException, InterruptedException {
    ObjectNode document = JsonOutput.document();
    ArrayNode recorded = document.putArray("recorded");
    Set<String> fresh = access.add(entries);
    for (LedgerEntry entry : entries) {
      boolean added = fresh.contains(entry.id());
      recorded.addObject().put("added", added).set("eval", entry.toJson());
      if (!command.json()) {
        print(entry, added, command.out());
      }
    }
    if (command.json()) {
      JsonOutput.print(document, command.out());
    }
  }

  private static void print(LedgerEntry entry, boolean added, PrintWriter out) {
    out.println((added ? "recorded " : "already recorded ") + EvalText.line(entry));
    EvalText.marks(entry).forEach(mark -> out.println("  " + mark));
  }
}
