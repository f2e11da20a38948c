package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.HistogramLayout;

/**
 * Two histograms over the same bins, as shares: those of the layout, put together so that a chart
 * can show them. The outer bins hold everything beyond. Pure functions.
 */
final class Distributions {
  private static final int MOST_BINS = 48;

  /** Left to the outer bins on each side, so that one outlier does not set the scale. */
  private static final double OUTSIDE = 0.001;

  private Distributions() {}

  /** Bins with the share of requests in each, by the layout of the metric. */
  static ArrayNode of(CellSlot baseline, CellSlot current, HistogramLayout layout) {
    int first = Math.min(baseline.bins().at(OUTSIDE), current.bins().at(OUTSIDE));
    int last = Math.max(baseline.bins().at(1 - OUTSIDE), current.bins().at(1 - OUTSIDE));
    int width = Math.max(1, (last - first + MOST_BINS) / MOST_BINS);
    ArrayNode bins = JsonNodeFactory.instance.arrayNode();
    for (int from = first; from <= last; from += width) {
      int to = Math.min(from + width - 1, last);
      ObjectNode bin = bins.addObject();
      bin.put("lower", finite(layout.lower(from), layout.upper(from)));
      bin.put("upper", finite(layout.upper(to), layout.lower(to)));
      int low = from == first ? Integer.MIN_VALUE : from;
      int high = to == last ? Integer.MAX_VALUE : to;
      Numbers.put(bin, "baseline", (Double) share(baseline.bins(), low, high));
      Numbers.put(bin, "current", (Double) share(current.bins(), low, high));
    }
    return bins;
  }

  /** An outermost bin has no outer edge; its inner one stands for it. */
  private static double finite(double edge, double other) {
    return Numbers.rounded(Double.isInfinite(edge) ? other : edge);
  }

  private static double share(Bins bins, int low, int high) {
    return (double) bins.count(low, high) / bins.n();
  }
}
