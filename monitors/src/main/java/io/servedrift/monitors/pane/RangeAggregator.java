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
 * Merges the windows of a range into one window per series: distributions exactly, digests along a
 * tree. Each series has to come in order of time, as windows close; then the result is a function
 * of the set of windows. Give it windows of one length only, else requests count twice. Memory does
 * not grow with the range but with the logarithm of its windows, and the series are bounded. Not
 * thread-safe.
 */
public final class RangeAggregator {
  /** Series of single configurations kept; those over all configurations always are. */
  static final int MOST_SERIES = 2_000;

  private final Duration length;
  private final Map<SeriesKey, Range> ranges = new TreeMap<>();
  private long leftOut;

  private static final class Range {
    Instant start = Instant.MAX;
    Instant end = Instant.MIN;
    final List<ValueDistribution> values = new ArrayList<>(2);
    final SketchTree sketches = new SketchTree();

    void add(ValueDistribution distribution) {
      values.add(distribution);
      if (values.size() > 1) {
        ValueDistribution together = ValueDistribution.merge(values);
        values.clear();
        values.add(together);
      }
    }
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
    SeriesKey key =
        new SeriesKey(
            window.getDeployment(), window.getModelId(), window.getConfigId(), window.getMetric());
    Range range = ranges.get(key);
    if (range == null) {
      if (ranges.size() >= MOST_SERIES && !key.configId().equals(SeriesKey.ALL)) {
        leftOut++;
        return;
      }
      range = new Range();
      ranges.put(key, range);
    }
    range.start = window.getStart().isBefore(range.start) ? window.getStart() : range.start;
    range.end = window.getEnd().isAfter(range.end) ? window.getEnd() : range.end;
    range.add(ValueDistribution.fromAvro(window.getDistribution()));
    ByteBuffer digest = window.getDigest();
    if (digest != null) {
      range.sketches.add(TailSketch.fromBytes(digest));
    }
  }

  /** Windows that are in no range, as their series came after {@value #MOST_SERIES} others. */
  public long leftOut() {
    return leftOut;
  }

  /** Sketches held, to see that they do not grow with the range. */
  int sketches() {
    return ranges.values().stream().mapToInt(range -> range.sketches.size()).sum();
  }

  /** One window per series from its first to its last window, in series order. */
  public List<WindowSummary> ranges() {
    List<WindowSummary> merged = new ArrayList<>(ranges.size());
    ranges.forEach(
        (key, range) ->
            merged.add(
                WindowStatistics.summary(
                        ValueDistribution.merge(range.values),
                        range.sketches.merged(),
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
