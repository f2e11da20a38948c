package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.files.DeadLetterFile;
import io.servedrift.monitors.pane.RangeAggregator;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes what a replay gives: writes windows as they close, merges the whole range, counts the rest.
 * Not thread-safe.
 */
final class ReplayOutput implements ReplayCore.Listener {

  /** Sketches and histograms are for merging, not for reading; they would be most of a line. */
  private static final List<String> INNER_FIELDS = List.of("distribution", "digest");

  private final Predicate<WindowSummary> wanted;
  private final Predicate<Finding> wantedFinding;
  private final @Nullable PrintWriter findingLines;
  private final @Nullable PrintWriter windows;
  private final @Nullable DeadLetterFile letters;
  private final Instant now;
  private final boolean raw;
  private final RangeAggregator range;
  private final Map<String, Long> rejectedByReason = new TreeMap<>();
  private long windowCount;
  private final FindingMemory findings = new FindingMemory();
  private @Nullable StateFile states;
  private long findingRecords;
  private long corrections;

  /**
   * @param shortest length of the windows the range is merged from
   * @param wanted which series to give; all of them are computed
   * @param wantedFinding which findings to give
   * @param findingLines where to write findings as NDJSON, null for nowhere
   * @param windows where to write windows as NDJSON, null for nowhere
   * @param letters where to add what cannot be used, null for nowhere
   * @param now time of the dead letters
   * @param raw whether dead letters keep what cannot be parsed as it came
   */
  ReplayOutput(
      Duration shortest,
      Predicate<WindowSummary> wanted,
      Predicate<Finding> wantedFinding,
      @Nullable PrintWriter findingLines,
      @Nullable PrintWriter windows,
      @Nullable DeadLetterFile letters,
      Instant now,
      boolean raw) {
    this.range = new RangeAggregator(shortest);
    this.wanted = wanted;
    this.wantedFinding = wantedFinding;
    this.findingLines = findingLines;
    this.windows = windows;
    this.letters = letters;
    this.now = now;
    this.raw = raw;
  }

  @Override
  public void window(WindowSummary window) {
    if (!wanted.test(window)) {
      return;
    }
    windowCount++;
    range.add(window);
    if (windows != null) {
      JsonOutput.printLine(node(window, false), windows);
    }
  }

  /** Keeps the newest state of the judge here. */
  ReplayOutput saving(@Nullable StateFile file) {
    states = file;
    return this;
  }

  @Override
  public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
    if (states != null) {
      states.take(deployment, micros, state.get());
    }
  }

  @Override
  public void correction(Correction correction) {
    corrections++;
  }

  @Override
  public void finding(Finding finding, long micros) {
    if (!wantedFinding.test(finding)) {
      return;
    }
    findingRecords++;
    JsonNode body = JsonOutput.parse(finding.getBody());
    if (body == null) {
      throw new IllegalStateException("finding " + finding.getFindingId() + ": body is no JSON");
    }
    findings.put(body);
    if (findingLines != null) {
      JsonOutput.printLine(body, findingLines);
    }
  }

  /** The last state of each finding. */
  FindingMemory findings() {
    return findings;
  }

  /** Whether no window closed and nothing was found of what is wanted. */
  boolean isEmpty() {
    return windowCount == 0 && findings.size() == 0;
  }

  @Override
  public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
    rejectedByReason.merge(why.reason(), 1L, Long::sum);
    if (letters != null) {
      letters.accept(DeadLetters.of(payload, why, origin, now, raw));
    }
  }

  /** Merges the range and writes it after the windows. */
  List<WindowSummary> finish() {
    List<WindowSummary> merged = range.ranges();
    if (windows != null) {
      merged.forEach(window -> JsonOutput.printLine(node(window, true), windows));
      windows.flush();
    }
    return merged;
  }

  /** What was counted, for a JSON document. */
  void describe(ObjectNode document, List<WindowSummary> merged) {
    document.put("windows", windowCount);
    document.put("findings", findings.size());
    document.put("finding_records", findingRecords);
    document.put("corrections", corrections);
    document.put("windows_beyond_range", range.leftOut());
    ReadReport.counts(document.putObject("rejected_by_reason"), rejectedByReason);
    ArrayNode ranges = document.putArray("range");
    merged.forEach(window -> ranges.add(node(window, true)));
  }

  /** What was counted, for people. */
  List<String> lines() {
    long rejected = rejectedByReason.values().stream().mapToLong(Long::longValue).sum();
    String counts =
        findings.size()
            + " findings, "
            + windowCount
            + " windows, "
            + corrections
            + " corrections, "
            + rejected
            + " rejected";
    List<String> lines = new ArrayList<>(List.of(counts));
    if (rejected > 0) {
      lines.add("  rejected " + rejectedByReason);
    }
    if (range.leftOut() > 0) {
      lines.add(
          "  " + range.leftOut() + " windows of further series are not in the whole range below");
    }
    return lines;
  }

  private static ObjectNode node(WindowSummary window, boolean whole) {
    ObjectNode node = EventJson.toJson(window);
    node.remove(INNER_FIELDS);
    if (whole) {
      node.put("range", true);
    }
    return node;
  }
}
