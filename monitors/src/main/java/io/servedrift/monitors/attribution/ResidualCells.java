package io.servedrift.monitors.attribution;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The occupied cells (class, cache, batch, preempted, node) of a window with the mean residual of
 * their requests against the reference and its sampling variance (STATISTICS C.4). Immutable.
 */
final class ResidualCells {
  /** Axis number of the node, after the axes of the grid. */
  static final int NODE = Grid.AXES;

  private static final double LEAST_REFERENCE = 5;
  private static final double LEAST_RATE_VARIANCE = 1e-6;

  private final int[][] levels;
  private final double[] count;
  private final double[] mean;
  private final double[] variance;
  private final double common;

  private ResidualCells(
      int[][] levels, double[] count, double[] mean, double[] variance, double common) {
    this.levels = levels;
    this.count = count;
    this.mean = mean;
    this.variance = variance;
    this.common = common;
  }

  /**
   * Residual cells of a window.
   *
   * @param commonVariance variance of a move that all cells share and that is ordinary, tau_w^2
   */
  static ResidualCells of(
      CellCube reference,
      CellCube window,
      ReferenceMeans means,
      boolean rate,
      AttributionInput.Basis basis,
      double commonVariance) {
    Grid grid = window.grid();
    int nodes = window.nodes();
    int[] toLike = grid.projection(Grid.WITHOUT_LOAD);
    int rows = toLike[grid.cells()] * nodes;
    double[] n = new double[rows];
    double[] residual = new double[rows];
    double[] spread = new double[rows];
    for (int cell = 0; cell < grid.cells(); cell++) {
      for (int node = 0; node < nodes; node++) {
        int row = toLike[cell] * nodes + node;
        double requests = window.count(cell, node);
        n[row] += requests;
        residual[row] += window.sum(cell, node) - requests * means.mean(cell);
        spread[row] += requests * means.variance(cell);
      }
    }
    double[] inReference = behind(reference, basis);
    return occupied(grid, nodes, n, residual, spread, inReference, rate, commonVariance);
  }

  /**
   * Reference requests behind what each cell expects: its own, or those of its class where the
   * reference has no such cells and their class stands for them.
   */
  private static double[] behind(CellCube reference, AttributionInput.Basis basis) {
    Grid grid = reference.grid();
    double[] own = grid.marginal(reference.counts(), Grid.WITHOUT_LOAD);
    if (basis == AttributionInput.Basis.PREDECESSOR) {
      double[] ofClass = grid.marginal(reference.counts(), Grid.mask(Grid.CLASS));
      int[] toLike = grid.projection(Grid.WITHOUT_LOAD);
      for (int cell = 0; cell < grid.cells(); cell++) {
        if (own[toLike[cell]] < VerdictRules.KNOWN_CELL) {
          own[toLike[cell]] = ofClass[grid.level(cell, Grid.CLASS)];
        }
      }
    }
    return own;
  }

  private static ResidualCells occupied(
      Grid grid,
      int nodes,
      double[] n,
      double[] residual,
      double[] spread,
      double[] inReference,
      boolean rate,
      double commonVariance) {
    int[] rows = IntStream.range(0, n.length).filter(r -> n[r] > 0).toArray();
    int[][] levels = new int[NODE + 1][rows.length];
    double[] count = new double[rows.length];
    double[] mean = new double[rows.length];
    double[] variance = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      int row = rows[i];
      int like = row / nodes;
      levels[NODE][i] = row % nodes;
      for (int axis = Grid.AXES - 1; axis > Grid.LOAD; axis--) {
        levels[axis][i] = like % grid.size(axis);
        like /= grid.size(axis);
      }
      count[i] = n[row];
      mean[i] = residual[row] / n[row];
      double one = Math.max(spread[row] / n[row], rate ? LEAST_RATE_VARIANCE : 0);
      variance[i] = one / n[row] + one / Math.max(inReference[row / nodes], LEAST_REFERENCE);
    }
    return new ResidualCells(levels, count, mean, variance, commonVariance);
  }

  int rows() {
    return count.length;
  }

  int level(int axis, int row) {
    return levels[axis][row];
  }

  double count(int row) {
    return count[row];
  }

  double requests() {
    return Arrays.stream(count).sum();
  }

  /** Inverse variance of a row's mean residual, the common move aside. */
  double weight(int row) {
    return 1 / variance[row];
  }

  double mean(int row) {
    return mean[row];
  }

  /** Requests of a set of rows. */
  double requests(boolean[] rows) {
    double sum = 0;
    for (int row = 0; row < count.length; row++) {
      sum += rows[row] ? count[row] : 0;
    }
    return sum;
  }

  /** Requests that lie in both sets. */
  double requests(boolean[] rows, boolean[] others) {
    double sum = 0;
    for (int row = 0; row < count.length; row++) {
      sum += rows[row] && others[row] ? count[row] : 0;
    }
    return sum;
  }

  /** Mean residual per request of a set of rows; 0 without any. */
  Estimate estimate(boolean[] rows) {
    double n = 0;
    double sum = 0;
    double spread = 0;
    for (int row = 0; row < count.length; row++) {
      if (rows[row]) {
        n += count[row];
        sum += count[row] * mean[row];
        spread += count[row] * count[row] * variance[row];
      }
    }
    return n == 0
        ? new Estimate(0, Double.POSITIVE_INFINITY, 0)
        : new Estimate(sum / n, StrictMath.sqrt(spread) / n, n);
  }

  /** Precision X'V^-1 Y of two sets of rows, V = diag(variance) + tau_w^2 11' (Woodbury). */
  double precision(boolean[] x, boolean[] y) {
    double both = 0;
    double ofX = 0;
    double ofY = 0;
    for (int row = 0; row < count.length; row++) {
      double w = weight(row);
      both += x[row] && y[row] ? w : 0;
      ofX += x[row] ? w : 0;
      ofY += y[row] ? w : 0;
    }
    return both - commonFactor() * ofX * ofY;
  }

  /** Score X'V^-1 d of a set of rows. */
  double score(boolean[] x) {
    double of = 0;
    double ofX = 0;
    double all = 0;
    for (int row = 0; row < count.length; row++) {
      double w = weight(row);
      of += x[row] ? w * mean[row] : 0;
      ofX += x[row] ? w : 0;
      all += w * mean[row];
    }
    return of - commonFactor() * ofX * all;
  }

  /** Sum of all weights times mean residuals. */
  double weightedResidual() {
    double all = 0;
    for (int row = 0; row < count.length; row++) {
      all += weight(row) * mean[row];
    }
    return all;
  }

  /** Sum of the weights of a set of rows. */
  double weights(boolean[] x) {
    double sum = 0;
    for (int row = 0; row < count.length; row++) {
      sum += x[row] ? weight(row) : 0;
    }
    return sum;
  }

  /** q of the Woodbury identity: tau^2 / (1 + tau^2 1'D^-1 1). */
  double commonFactor() {
    double sum = 0;
    for (int row = 0; row < count.length; row++) {
      sum += weight(row);
    }
    return common / (1 + common * sum);
  }

  /**
   * A mean with its standard error.
   *
   * @param n requests behind it
   */
  record Estimate(double mean, double standardError, double n) {}
}
