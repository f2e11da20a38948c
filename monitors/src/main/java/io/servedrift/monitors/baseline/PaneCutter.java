package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.pane.Covariate;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.List;
import java.util.OptionalInt;

/**
 * Cuts panes at thresholds: histograms in, {@link PaneCounts} out. Exceedances are exact when the
 * thresholds are edges of the layout. Sums are exact as long as no value of a cell is winsorised
 * and the scale is linear, else those of the midpoints of the bins. Immutable and thread-safe.
 */
public final class PaneCutter {
  private final FamilySpec spec;
  private final TrafficClasses classes;
  private final Thresholds thresholds;
  private final List<String> nodes;

  /** For a family. */
  public PaneCutter(FamilySpec spec, TrafficClasses classes, Thresholds thresholds) {
    this(spec, classes, thresholds, List.of());
  }

  /**
   * For a family that watches nodes.
   *
   * @param nodes those that are kept apart
   */
  PaneCutter(FamilySpec spec, TrafficClasses classes, Thresholds thresholds, List<String> nodes) {
    this.nodes = List.copyOf(nodes);
    this.spec = spec;
    this.classes = classes;
    this.thresholds = thresholds;
  }

  /** For what is compared with a baseline. */
  public PaneCutter(Baseline baseline) {
    this(baseline.spec(), baseline.classes(), baseline.thresholds(), baseline.nodes());
  }

  /** Cuts a pane. Values of a class without index are left out and counted as such. */
  public PaneCounts cut(CellPane pane) {
    PaneCounts.Builder counts =
        new PaneCounts.Builder(
            pane.startMicros(), pane.load(), classes.size(), spec.tails().size(), nodes.size());
    for (CellPane.JointCell cell : pane.cells()) {
      OptionalInt index = classes.indexOf(cell.trafficClass());
      if (index.isEmpty()) {
        counts.leaveOut((double) cell.values().n());
      } else {
        add(counts, cell, index.getAsInt());
      }
    }
    if (!nodes.isEmpty()) {
      addNodes(counts, pane);
    }
    return counts.build();
  }

  private void addNodes(PaneCounts.Builder counts, CellPane pane) {
    for (CellPane.MarginCell margin : pane.margins()) {
      if (margin.covariate().equals(Covariate.NODE.label())) {
        int listed = nodes.indexOf(margin.level());
        counts.addNode(
            listed < 0 ? nodes.size() : listed,
            (double) margin.values().n(),
            sums(margin.values())[0]);
      }
    }
  }

  private void add(PaneCounts.Builder counts, CellPane.JointCell cell, int trafficClass) {
    ValueDistribution values = cell.values();
    double[] sums = spec.statistic() == Statistic.MEAN ? sums(values) : new double[] {0, 0};
    int[] bins = spec.statistic() == Statistic.MEAN ? new int[0] : values.bins();
    long[] binCounts = spec.statistic() == Statistic.MEAN ? new long[0] : values.counts();
    for (Stratum stratum : cell.strata()) {
      counts.add(stratum, trafficClass, (double) values.n(), sums[0], sums[1]);
      for (int level = 0; level < spec.tails().size(); level++) {
        double cut =
            spec.statistic() == Statistic.RATIO
                ? Double.NaN
                : thresholds.cut(level, stratum, trafficClass);
        counts.addExceedances(
            level, stratum, trafficClass, beyond(values.layout(), bins, binCounts, cut));
      }
    }
  }

  /**
   * Number of values beyond a threshold, or of failures, whatever the threshold.
   *
   * @param cut an edge of the layout for an exact number
   */
  public double beyond(ValueDistribution values, double cut) {
    return beyond(values.layout(), values.bins(), values.counts(), cut);
  }

  private double beyond(HistogramLayout layout, int[] bins, long[] counts, double cut) {
    long beyond = 0;
    for (int i = 0; i < bins.length; i++) {
      if (isBeyond(layout, bins[i], cut)) {
        beyond += counts[i];
      }
    }
    return beyond;
  }

  private boolean isBeyond(HistogramLayout layout, int bin, double cut) {
    if (spec.statistic() == Statistic.RATIO) {
      return bin == (spec.upper() ? 1 : 0);
    }
    return spec.upper() ? layout.lower(bin) >= cut : layout.upper(bin) <= cut;
  }

  /** Sum and sum of squares of values as they enter means: scaled and winsorised. */
  public double[] sums(ValueDistribution values) {
    if (values.n() == 0) {
      return new double[] {0, 0};
    }
    double unit = values.layout().unit();
    boolean whole = values.min() >= thresholds.lowest() && values.max() <= thresholds.highest();
    if (!spec.logarithmic() && whole) {
      return new double[] {
        values.sumUnits().doubleValue() * unit, values.sumSquares().doubleValue() * unit * unit
      };
    }
    double sum = 0;
    double sumSquares = 0;
    int[] bins = values.bins();
    long[] counts = values.counts();
    for (int i = 0; i < bins.length; i++) {
      double value = thresholds.winsorised(spec.scaled(values.layout().midpoint(bins[i])));
      sum += counts[i] * value;
      sumSquares += counts[i] * value * value;
    }
    return new double[] {sum, sumSquares};
  }
}
