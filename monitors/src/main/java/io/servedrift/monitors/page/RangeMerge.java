package io.servedrift.monitors.page;

import io.servedrift.monitors.pane.TailSketch;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of several windows of one series together: counts and sums exactly, digests sorted in
 * one pass.
 */
final class RangeMerge {
  private RangeMerge() {}

  /**
   * Merges windows that do not overlap.
   *
   * @throws IllegalArgumentException when there is none, or their histograms have different layouts
   */
  static WindowStatistics merge(List<StoredWindow> windows) {
    if (windows.isEmpty()) {
      throw new IllegalArgumentException("windows to merge=0: must be at least 1");
    }
    List<ValueDistribution> distributions = new ArrayList<>(windows.size());
    List<TailSketch> sketches = new ArrayList<>(windows.size());
    for (StoredWindow window : windows) {
      WindowSummary summary = window.summary();
      ValueDistribution distribution = ValueDistribution.fromAvro(summary.getDistribution());
      distributions.add(distribution);
      sketches.add(sketch(summary, distribution));
    }
    return WindowStatistics.of(
        ValueDistribution.merge(distributions),
        TailSketch.merge(sketches),
        windows.get(0).numbers().level());
  }

  private static TailSketch sketch(WindowSummary summary, ValueDistribution distribution) {
    ByteBuffer digest = summary.getDigest();
    if (digest == null) {
      return TailSketch.of(distribution);
    }
    return TailSketch.fromBytes(digest);
  }
}
