package io.servedrift.monitors.baseline;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * Histograms of a reference by stratum and traffic class, and the thresholds that follow from them.
 * Thresholds are edges of the layout, so that exceedances can be counted from the bins of any pane.
 *
 * <p>A cell with at least 50 / (1 - q) values has its own quantile. A thinner one borrows the shape
 * of the tail: its median plus its interquartile range times the pooled quantile of (x - median) /
 * IQR of the stratum (STATISTICS B.2). Not thread-safe.
 */
final class ReferenceHistograms {
  private static final double OWN_QUANTILE = 50;
  private static final int LEAST_OWN_SHAPE = 30;
  private static final double WINSOR_TAIL = .0005;
  private static final double WINSOR_MARGIN = .25;

  private final FamilySpec spec;
  private final HistogramLayout layout;
  private final TrafficClasses classes;
  private final Bins[] cells;
  private final double[] scaled;

  ReferenceHistograms(FamilySpec spec, HistogramLayout layout, TrafficClasses classes) {
    this.spec = spec;
    this.layout = layout;
    this.classes = classes;
    cells = new Bins[Stratum.count() * classes.size()];
    Arrays.setAll(cells, i -> new Bins(layout.binCount()));
    scaled = new double[layout.binCount()];
    for (int bin = 0; bin < scaled.length; bin++) {
      scaled[bin] = spec.scaled(layout.midpoint(bin));
    }
  }

  void add(CellPane pane) {
    for (CellPane.JointCell cell : pane.cells()) {
      OptionalInt index = classes.indexOf(cell.trafficClass());
      if (index.isPresent()) {
        for (Stratum stratum : cell.strata()) {
          of(stratum, index.getAsInt()).add(cell.values());
        }
      }
    }
  }

  /** Counts and their total, which every quantile needs. */
  private static final class Bins {
    final long[] counts;
    long n;

    Bins(int size) {
      counts = new long[size];
    }

    void add(ValueDistribution values) {
      int[] bins = values.bins();
      long[] of = values.counts();
      for (int i = 0; i < bins.length; i++) {
        counts[bins[i]] += of[i];
      }
      n += values.n();
    }

    void add(Bins other) {
      for (int bin = 0; bin < counts.length; bin++) {
        counts[bin] += other.counts[bin];
      }
      n += other.n;
    }
  }

  private Bins of(Stratum stratum, int trafficClass) {
    return cells[stratum.index() * classes.size() + trafficClass];
  }

  Thresholds thresholds() {
    Bins all = new Bins(layout.binCount());
    for (int g = 0; g < classes.size(); g++) {
      all.add(of(Stratum.ALL, g));
    }
    double low = quantile(all, WINSOR_TAIL);
    double high = quantile(all, 1 - WINSOR_TAIL);
    double margin = WINSOR_MARGIN * (high - low);
    double[][][] cuts = new double[spec.tails().size()][Stratum.count()][classes.size()];
    for (Stratum stratum : Stratum.all()) {
      cut(stratum, cuts);
    }
    return new Thresholds(low - margin, high + margin, cuts);
  }

  private void cut(Stratum stratum, double[][][] cuts) {
    List<Bins> shapes = new ArrayList<>();
    double[] median = new double[classes.size()];
    double[] range = new double[classes.size()];
    for (int g = 0; g < classes.size(); g++) {
      Bins own = of(stratum, g);
      Bins cell = own.n < LEAST_OWN_SHAPE ? of(Stratum.ALL, g) : own;
      shapes.add(cell);
      median[g] = quantile(cell, .5);
      range[g] = Math.max(quantile(cell, .75) - quantile(cell, .25), 1e-12);
    }
    for (int level = 0; level < spec.tails().size(); level++) {
      double tail = spec.tails().get(level);
      double pooled = pooledQuantile(shapes, median, range, spec.upper() ? 1 - tail : tail);
      for (int g = 0; g < classes.size(); g++) {
        cuts[level][stratum.index()][g] =
            shapes.get(g).n * tail >= OWN_QUANTILE
                ? ownEdge(shapes.get(g), tail)
                : edgeNear(spec.unscaled(median[g] + range[g] * pooled));
      }
    }
  }

  /** The edge beyond which at most the share {@code tail} lies, as near to it as bins allow. */
  private double ownEdge(Bins of, double tail) {
    long[] cell = of.counts;
    double allowed = tail * of.n;
    long beyond = 0;
    if (spec.upper()) {
      int bin = layout.binCount() - 1;
      while (bin > 0 && beyond + cell[bin] <= allowed) {
        beyond += cell[bin--];
      }
      return layout.upper(bin);
    }
    int bin = 0;
    while (bin < layout.binCount() - 1 && beyond + cell[bin] <= allowed) {
      beyond += cell[bin++];
    }
    return layout.lower(bin);
  }

  private double edgeNear(double value) {
    int bin =
        layout.binOf(Math.max(-HistogramLayout.LARGEST, Math.min(HistogramLayout.LARGEST, value)));
    return spec.upper() ? layout.upper(bin) : layout.lower(bin);
  }

  /** Midpoint of the bin that holds the quantile, on the scale of the family. */
  private double quantile(Bins of, double q) {
    long[] cell = of.counts;
    long rank = Math.max(1, (long) Math.ceil(q * of.n));
    long seen = 0;
    for (int bin = 0; bin < cell.length; bin++) {
      seen += cell[bin];
      if (seen >= rank && seen > 0) {
        return scaled[bin];
      }
    }
    return 0;
  }

  private record Weighted(double value, long count) {}

  private double pooledQuantile(List<Bins> shapes, double[] median, double[] range, double q) {
    List<Weighted> pool = new ArrayList<>();
    long total = 0;
    for (int g = 0; g < median.length; g++) {
      long[] cell = shapes.get(g).counts;
      for (int bin = 0; bin < cell.length; bin++) {
        if (cell[bin] > 0) {
          pool.add(new Weighted((scaled[bin] - median[g]) / range[g], cell[bin]));
          total += cell[bin];
        }
      }
    }
    pool.sort(Comparator.comparingDouble(Weighted::value));
    long rank = Math.max(1, (long) Math.ceil(q * total));
    long seen = 0;
    for (Weighted one : pool) {
      seen += one.count();
      if (seen >= rank) {
        return one.value();
      }
    }
    return 0;
  }
}
