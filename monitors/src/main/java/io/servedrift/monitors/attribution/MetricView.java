package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.pane.ValueDistribution;

/**
 * How the values of a metric are looked at in an attribution: their mean on the scale of the family
 * (winsorised, perhaps logarithms), the share beyond a threshold of their traffic class, or the
 * share of failures. Made by {@link ReferenceCubes}. Immutable and thread-safe.
 */
public final class MetricView {
  /** Instead of a traffic class: values of all classes together, beyond one threshold. */
  static final int ALL_CLASSES = -1;

  private final Baseline baseline;
  private final PaneCutter cutter;
  private final int level;
  private final double cut;

  /**
   * A view.
   *
   * @param level index of the quantile; -1 for means and failures
   * @param cut threshold where classes are not kept apart; not read for means and failures
   */
  MetricView(Baseline baseline, int level, double cut) {
    this.baseline = baseline;
    this.cutter = new PaneCutter(baseline);
    this.level = level;
    this.cut = cut;
  }

  /** Whether it is a share of requests, not a mean. */
  public boolean rate() {
    return baseline.spec().statistic() != Statistic.MEAN;
  }

  /** Whether the values are durations. */
  boolean duration() {
    return baseline.spec().logarithmic();
  }

  /** Index of the quantile whose exceedances count; -1 for means and failures. */
  public int level() {
    return level;
  }

  double cut() {
    return cut;
  }

  /** Sum of the values as they are looked at. For a rate the sum of squares is the same. */
  double sum(ValueDistribution values, int trafficClass) {
    return rate() ? cutter.beyond(values, threshold(trafficClass)) : cutter.sums(values)[0];
  }

  /** Sum and sum of squares of a mean's values. */
  double[] sums(ValueDistribution values) {
    return cutter.sums(values);
  }

  private double threshold(int trafficClass) {
    if (level < 0) {
      return Double.NaN;
    }
    boolean known = trafficClass >= 0 && trafficClass < baseline.classes().size();
    return known ? baseline.thresholds().cut(level, Stratum.ALL, trafficClass) : cut;
  }
}
