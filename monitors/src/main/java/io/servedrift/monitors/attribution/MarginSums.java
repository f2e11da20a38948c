package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.PaneTable.Level;
import java.util.Map;
import java.util.TreeMap;

/** Counts and sums of the levels of narrow covariates by load, over some blocks. Immutable. */
final class MarginSums {
  private static final double WEIGHT = 30;

  private final int loads;
  private final Map<Level, Sums> levels = new TreeMap<>();

  /** Sums of one level. */
  static final class Sums {
    private final double[] n;
    private final double[] sum;
    private double squares;

    private Sums(int loads) {
      n = new double[loads];
      sum = new double[loads];
    }

    double n(int load) {
      return n[load];
    }

    double n() {
      return total(n);
    }

    double sum() {
      return total(sum);
    }

    /** Variance of a single value. */
    double variance() {
      double mean = sum() / n();
      return Math.max(0, squares / n() - mean * mean);
    }

    /** Mean of what lies beyond what is expected at each load; not a number without requests. */
    double residual(double[] expected) {
      double residual = 0;
      for (int load = 0; load < n.length; load++) {
        residual += sum[load] - n[load] * expected[load];
      }
      return residual / n();
    }

    /** Mean at each load, shrunk to what is given. */
    double[] means(double[] prior) {
      double[] means = new double[n.length];
      for (int load = 0; load < means.length; load++) {
        means[load] = (sum[load] + WEIGHT * prior[load]) / (n[load] + WEIGHT);
      }
      return means;
    }

    private static double total(double[] values) {
      double total = 0;
      for (double value : values) {
        total += value;
      }
      return total;
    }
  }

  MarginSums(
      PaneTable table, PaneTable.Columns columns, int view, int loads, int fromBlock, int toBlock) {
    this.loads = loads;
    int size = table.levels().size();
    table
        .margins()
        .each(
            fromBlock,
            toBlock,
            (key, values) -> {
              Sums sums =
                  levels.computeIfAbsent(table.levels().get(key % size), l -> new Sums(loads));
              sums.n[key / size] += values[0];
              sums.sum[key / size] += values[1 + view];
              sums.squares += columns.squares(values, view);
            });
  }

  /** Sums of a level; none when it did not occur. */
  Sums of(Level level) {
    Sums found = levels.get(level);
    return found == null ? new Sums(loads) : found;
  }

  Sums all() {
    return of(Level.ALL);
  }

  Iterable<Level> levels() {
    return levels.keySet();
  }
}
