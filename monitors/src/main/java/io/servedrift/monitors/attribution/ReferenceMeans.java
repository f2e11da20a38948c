package io.servedrift.monitors.attribution;

import java.util.function.IntToDoubleFunction;

/**
 * What the reference expects of a request in each cell: the cell's mean, shrunk by weight 30 to the
 * mean without load, that to class plus serving cell, that to the overall mean (hierarchical
 * shrinkage as in STATISTICS C.2). Immutable.
 */
final class ReferenceMeans {
  private static final double WEIGHT = 30;

  private final double[] mean;
  private final double variance;
  private final boolean rate;

  private ReferenceMeans(double[] mean, double variance, boolean rate) {
    this.mean = mean;
    this.variance = variance;
    this.rate = rate;
  }

  static ReferenceMeans of(CellCube reference, boolean rate) {
    double[] n = reference.counts();
    double[] s = reference.sums();
    double[] mean = shrink(reference.grid(), n, s);
    double squares = reference.sumOfSquares();
    for (int cell = 0; cell < n.length; cell++) {
      squares += mean[cell] * (mean[cell] * n[cell] - 2 * s[cell]);
    }
    // a constant metric has no noise; its smallest move is then judged against rounding
    double overall = reference.mean();
    double least = 1e-12 * Math.max(1, overall * overall);
    return new ReferenceMeans(mean, Math.max(least, squares / reference.requests()), rate);
  }

  /** The same with other cells in the place of those that the reference does not know. */
  ReferenceMeans at(KnownBatches batches) {
    double[] moved = new double[mean.length];
    for (int cell = 0; cell < moved.length; cell++) {
      moved[cell] = mean[batches.cell(cell)];
    }
    return new ReferenceMeans(moved, variance, rate);
  }

  private static double[] shrink(Grid grid, double[] n, double[] s) {
    double overall = total(s) / total(n);
    int serving = Grid.mask(Grid.CACHE, Grid.BATCH, Grid.PREEMPTED);
    double[] groupOffset = groupOffsets(grid, n, s, overall);
    double[] net = s.clone();
    for (int cell = 0; cell < net.length; cell++) {
      net[cell] -= n[cell] * groupOffset[grid.level(cell, Grid.CLASS)];
    }
    double[] servingMean =
        shrunk(grid.marginal(n, serving), grid.marginal(net, serving), i -> overall);
    int[] toServing = grid.projection(serving);
    int[] toLike = grid.projection(Grid.WITHOUT_LOAD);
    double[] additive = new double[toLike[grid.cells()]];
    for (int cell = 0; cell < n.length; cell++) {
      additive[toLike[cell]] =
          servingMean[toServing[cell]] + groupOffset[grid.level(cell, Grid.CLASS)];
    }
    double[] like =
        shrunk(
            grid.marginal(n, Grid.WITHOUT_LOAD),
            grid.marginal(s, Grid.WITHOUT_LOAD),
            i -> additive[i]);
    return shrunk(n, s, cell -> like[toLike[cell]]);
  }

  private static double[] groupOffsets(Grid grid, double[] n, double[] s, double overall) {
    int group = Grid.mask(Grid.CLASS);
    double[] offset = shrunk(grid.marginal(n, group), grid.marginal(s, group), i -> overall);
    for (int i = 0; i < offset.length; i++) {
      offset[i] -= overall;
    }
    return offset;
  }

  private static double[] shrunk(double[] n, double[] s, IntToDoubleFunction prior) {
    double[] result = new double[n.length];
    for (int i = 0; i < n.length; i++) {
      result[i] = (s[i] + WEIGHT * prior.applyAsDouble(i)) / (n[i] + WEIGHT);
    }
    return result;
  }

  private static double total(double[] values) {
    double total = 0;
    for (double value : values) {
      total += value;
    }
    return total;
  }

  /** Expected value of a request in a cell. */
  double mean(int cell) {
    return mean[cell];
  }

  double[] means() {
    return mean;
  }

  /** Variance of a request around its cell's mean, over the whole reference. */
  double variance() {
    return variance;
  }

  /** Whether what is averaged is 0 or 1 of each request, as for a share. */
  boolean rate() {
    return rate;
  }

  /** Variance of a request in a cell: m (1 - m) for a rate, else that of the whole reference. */
  double variance(int cell) {
    return rate ? mean[cell] * (1 - mean[cell]) : variance;
  }

  /** Expected sum of a stretch of traffic. */
  double expected(double[] counts) {
    double sum = 0;
    for (int cell = 0; cell < counts.length; cell++) {
      sum += counts[cell] * mean[cell];
    }
    return sum;
  }
}
