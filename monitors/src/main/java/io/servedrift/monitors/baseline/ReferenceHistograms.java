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
  private final long[][] counts;
  private final double[] scaled;

  ReferenceHistograms(FamilySpec spec, HistogramLayout layout, TrafficClasses classes) {
    this.spec = spec;
    this.layout = layout;
    this.classes = classes;
    counts = new long[Stratum.count() * classes.size()][layout.binCount()];
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
          add(cell.values(), of(stratum, index.getAsInt()));
        }
      }
    }
  }

  private static void add(ValueDistribution values, long[] into) {
    int[] bins = values.bins();
    long[] of = values.counts();
    for (int i = 0; i < bins.length; i++) {
      into[bins[i]] += of[i];
    }
  }

  private long[] of(Stratum stratum, int trafficClass) {
    return counts[stratum.index() * classes.size() + trafficClass];
  }

  Thresholds thresholds() {
    long[] all = new long[layout.binCount()];
    for (int g = 0; g < classes.size(); g++) {
      addTo(all, of(Stratum.ALL, g));
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

  private static void addTo(long[] sum, long[] part) {
    for (int bin = 0; bin < sum.length; bin++) {
      sum[bin] += part[bin];
    }
  }

  private void cut(Stratum stratum, double[][][] cuts) {
    List<long[]> cells = new ArrayList<>();
    double[] median = new double[classes.size()];
    double[] range = new double[classes.size()];
    for (int g = 0; g < classes.size(); g++) {
      long[] own = of(stratum, g);
      long[] cell = total(own) < LEAST_OWN_SHAPE ? of(Stratum.ALL, g) : own;
      cells.add(cell);
      median[g] = quantile(cell, .5);
      range[g] = Math.max(quantile(cell, .75) - quantile(cell, .25), 1e-12);
    }
    for (int level = 0; level < spec.tails().size(); level++) {
      double tail = spec.tails().get(level);
      double pooled = pooledQuantile(cells, median, range, spec.upper() ? 1 - tail : tail);
      for (int g = 0; g < classes.size(); g++) {
        cuts[level][stratum.index()][g] =
            total(cells.get(g)) * tail >= OWN_QUANTILE
                ? ownEdge(cells.get(g), tail)
                : edgeNear(spec.unscaled(median[g] + range[g] * pooled));
      }
    }
  }

  private static long total(long[] cell) {
    return Arrays.stream(cell).sum();
  }

  /** The edge beyond which at most the share {@code tail} lies, as near to it as bins allow. */
  private double ownEdge(long[] cell, double tail) {
    double allowed = tail * total(cell);
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
  private double quantile(long[] cell, double q) {
    long total = total(cell);
    long rank = Math.max(1, (long) Math.ceil(q * total));
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

  private double pooledQuantile(List<long[]> cells, double[] median, double[] range, double q) {
    List<Weighted> pool = new ArrayList<>();
    long total = 0;
    for (int g = 0; g < median.length; g++) {
      long[] cell = cells.get(g);
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
