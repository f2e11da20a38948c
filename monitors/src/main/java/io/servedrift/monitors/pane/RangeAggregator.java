package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.WindowSummary;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Merges the windows of a range into one window per series: distributions exactly, digests in one
 * pass, so the result is a function of the set of windows. Give it windows of one length only, else
 * requests count twice. Not thread-safe.
 */
public final class RangeAggregator {
  private final Duration length;
  private final Map<SeriesKey, Range> ranges = new TreeMap<>();

  private static final class Range {
    Instant start = Instant.MAX;
    Instant end = Instant.MIN;
    final List<ValueDistribution> values = new ArrayList<>();
    final List<TailSketch> sketches = new ArrayList<>();
  }

  /**
   * @param length windows of another length are passed over
   */
  public RangeAggregator(Duration length) {
    this.length = length;
  }

  /** Adds a window to the range of its series, if it has the right length. */
  public void add(WindowSummary window) {
    if (!Duration.between(window.getStart(), window.getEnd()).equals(length)) {
      return;
    }
    Range range =
        ranges.computeIfAbsent(
            new SeriesKey(
                window.getDeployment(),
                window.getModelId(),
                window.getConfigId(),
                window.getMetric()),
            key -> new Range());
    range.start = window.getStart().isBefore(range.start) ? window.getStart() : range.start;
    range.end = window.getEnd().isAfter(range.end) ? window.getEnd() : range.end;
    range.values.add(ValueDistribution.fromAvro(window.getDistribution()));
    ByteBuffer digest = window.getDigest();
    if (digest != null) {
      range.sketches.add(TailSketch.fromBytes(digest));
    }
  }

  /** One window per series from its first to its last window, in series order. */
  public List<WindowSummary> ranges() {
    List<WindowSummary> merged = new ArrayList<>(ranges.size());
    ranges.forEach(
        (key, range) ->
            merged.add(
                WindowStatistics.summary(
                        ValueDistribution.merge(range.values),
                        TailSketch.merge(range.sketches),
                        WindowStatistics.DEFAULT_LEVEL)
                    .setDeployment(key.deployment())
                    .setModelId(key.modelId())
                    .setConfigId(key.configId())
                    .setMetric(key.metric())
                    .setStart(range.start)
                    .setEnd(range.end)
                    .build()));
    return merged;
  }
}
