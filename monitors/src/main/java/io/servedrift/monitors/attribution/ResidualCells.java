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
      Measure measure,
      AttributionInput.Basis basis,
      double commonVariance) {
    Grid grid = window.grid();
    boolean uneven = measure.unevenness() > 0;
    double rate = window.mean();
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
        // a rate that moved has the variance of where it moved to as well
        double p = (means.mean(cell) + rate) / 2;
        spread[row] += requests * (uneven && measure.rate() ? p * (1 - p) : means.variance(cell));
      }
    }
    double[] inReference = behind(reference, basis);
    ResidualCells cells =
        occupied(grid, nodes, n, residual, spread, inReference, measure.rate(), commonVariance);
    return uneven ? cells.uneven(measure.unevenness()) : cells;
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

  /** The same where a row may be off by a share of the size of the move. */
  private ResidualCells uneven(double relative) {
    double squares = 0;
    for (int row = 0; row < count.length; row++) {
      squares += count[row] * mean[row] * mean[row];
    }
    double size = squares / requests();
    double[] wider = variance.clone();
    for (int row = 0; row < wider.length; row++) {
      wider[row] += relative * relative * size;
    }
    return new ResidualCells(levels, count, mean, wider, common);
  }

  /** The same after a share of every row's residual was explained otherwise. */
  ResidualCells scaled(double by) {
    double[] rest = mean.clone();
    for (int row = 0; row < rest.length; row++) {
      rest[row] *= by;
    }
    return new ResidualCells(levels, count, rest, variance, common);
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

  /** Mean of a column over the requests. */
  double mean(double[] column) {
    double sum = 0;
    for (int row = 0; row < count.length; row++) {
      sum += count[row] * column[row];
    }
    return sum / requests();
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

  /** Precision X'V^-1 Y of two columns, V = diag(variance) + tau_w^2 11' (Woodbury). */
  double precision(double[] x, double[] y) {
    double both = 0;
    double ofX = 0;
    double ofY = 0;
    for (int row = 0; row < count.length; row++) {
      double w = weight(row);
      both += w * x[row] * y[row];
      ofX += w * x[row];
      ofY += w * y[row];
    }
    return both - commonFactor() * ofX * ofY;
  }

  /** Score X'V^-1 d of a column. */
  double score(double[] x) {
    double of = 0;
    double ofX = 0;
    double all = 0;
    for (int row = 0; row < count.length; row++) {
      double w = weight(row);
      of += w * x[row] * mean[row];
      ofX += w * x[row];
      all += w * mean[row];
    }
    return of - commonFactor() * ofX * all;
  }

  /** Indicator of a set of rows. */
  static double[] indicator(boolean[] rows) {
    double[] column = new double[rows.length];
    for (int row = 0; row < rows.length; row++) {
      column[row] = rows[row] ? 1 : 0;
    }
    return column;
  }

  /** Sum of all weights times mean residuals. */
  double weightedResidual() {
    double all = 0;
    for (int row = 0; row < count.length; row++) {
      all += weight(row) * mean[row];
    }
    return all;
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
