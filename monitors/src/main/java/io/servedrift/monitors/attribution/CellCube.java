package io.servedrift.monitors.attribution;

import java.util.Arrays;
import java.util.List;

/**
 * Counts and sums of one metric in cells (load, class, cache, batch, preempted, node): all that
 * attribution reads of a stretch of traffic. For a rate (exceedance of a threshold, failure) the
 * sum is the number of exceedances and the sum of squares the same. Filled through the builder,
 * immutable then.
 */
public final class CellCube {
  private final CellAxes axes;
  private final Grid grid;
  private final double[] count;
  private final double[] sum;
  private final double[] squares;

  private CellCube(CellAxes axes, Grid grid, double[] count, double[] sum, double[] squares) {
    this.axes = axes;
    this.grid = grid;
    this.count = count;
    this.sum = sum;
    this.squares = squares;
  }

  /** An empty cube to fill. */
  public static Builder over(CellAxes axes) {
    return new Builder(axes);
  }

  /** Its levels. */
  public CellAxes axes() {
    return axes;
  }

  /** Number of requests. */
  public double requests() {
    return total(count);
  }

  /** Sum of the metric over all requests. */
  public double sum() {
    return total(sum);
  }

  /** Mean of the metric over all requests; NaN without any. */
  public double mean() {
    return sum() / requests();
  }

  Grid grid() {
    return grid;
  }

  int nodes() {
    return axes.nodes().size();
  }

  double count(int cell, int node) {
    return count[cell * nodes() + node];
  }

  double sum(int cell, int node) {
    return sum[cell * nodes() + node];
  }

  /** Counts of the cells, over all nodes. */
  double[] counts() {
    return overNodes(count);
  }

  /** Sums of the cells, over all nodes. */
  double[] sums() {
    return overNodes(sum);
  }

  /** Sum of squares over all requests. */
  double sumOfSquares() {
    return total(squares);
  }

  private double[] overNodes(double[] values) {
    int nodes = nodes();
    double[] result = new double[grid.cells()];
    for (int i = 0; i < values.length; i++) {
      result[i / nodes] += values[i];
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

  /** A number that depends on all counts and sums: the seed of draws. */
  long fingerprint() {
    return 31L * Arrays.hashCode(count) + Arrays.hashCode(sum);
  }

  /** Fills a cube. Not thread-safe; the order of additions is the caller's and must be defined. */
  public static final class Builder {
    private final CellAxes axes;
    private final Grid grid;
    private final double[] count;
    private final double[] sum;
    private final double[] squares;

    private Builder(CellAxes axes) {
      this.axes = axes;
      grid = axes.grid();
      int length = grid.cells() * axes.nodes().size();
      count = new double[length];
      sum = new double[length];
      squares = new double[length];
    }

    /**
     * Adds the requests of one cell.
     *
     * @param load bucket, from 0
     * @param node one of the nodes of the axes
     * @param n number of requests
     * @param valueSum sum of the metric, in its unit
     * @param valueSquares sum of its squares
     * @throws IllegalArgumentException when a level is not one of the axes
     */
    public Builder add(
        int load,
        String group,
        String cache,
        String batch,
        String preempted,
        String node,
        double n,
        double valueSum,
        double valueSquares) {
      if (load < 0 || load >= axes.loads()) {
        throw new IllegalArgumentException(
            "load bucket " + load + ": must be 0.." + (axes.loads() - 1));
      }
      int cell =
          grid.index(
              load,
              level(axes.classes(), group),
              level(axes.caches(), cache),
              level(axes.batches(), batch),
              level(axes.preemptions(), preempted));
      int at = cell * axes.nodes().size() + level(axes.nodes(), node);
      count[at] += n;
      sum[at] += valueSum;
      squares[at] += valueSquares;
      return this;
    }

    private static int level(List<String> levels, String level) {
      int found = levels.indexOf(level);
      if (found < 0) {
        throw new IllegalArgumentException("level " + level + ": must be one of " + levels);
      }
      return found;
    }

    /** The cube with what was added. */
    public CellCube build() {
      return new CellCube(axes, grid, count.clone(), sum.clone(), squares.clone());
    }
  }
}
