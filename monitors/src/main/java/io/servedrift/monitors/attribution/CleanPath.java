package io.servedrift.monitors.attribution;

/**
 * The requests that no serving mechanism touched: batch 1 to 3, cache miss, not preempted. Only
 * when they moved too may a shift be called anything but a serving cause (STATISTICS C.5).
 *
 * @param shift mean residual against the reference, in the unit of the metric
 * @param standardError of the shift, ordinary common moves included
 * @param requests their number in the window
 * @param batch whether batch sizes are known; what is not known excludes no request
 * @param cache whether cache outcomes are known
 * @param preemption whether preemptions are known
 * @param rate whether the metric is a share of requests: of few requests those that count are too
 *     few for a standard error
 */
public record CleanPath(
    double shift,
    double standardError,
    long requests,
    boolean batch,
    boolean cache,
    boolean preemption,
    boolean rate) {
  /** Fewer say nothing, unless they {@linkplain #movedBeyondDoubt moved beyond doubt}. */
  public static final int LEAST_REQUESTS = 100;

  /** Fewer say nothing even then: their mean is not normal. */
  private static final int FEWEST = 30;

  /** Standard errors by which they must have moved. */
  private static final double SURELY = 2;

  /** The same where they are fewer than {@link #LEAST_REQUESTS}. */
  private static final double BEYOND_DOUBT = 3;

  private static final int EVERY_CLASS = -1;

  static CleanPath of(CellCube window, ReferenceMeans means, double commonVariance) {
    return of(window, means, commonVariance, 0, CellAxes.CLEAN_BATCH);
  }

  /** The same requests at other batch sizes; where batches are not recorded, at any. */
  static CleanPath of(
      CellCube window,
      ReferenceMeans means,
      double commonVariance,
      int smallestBatch,
      int largestBatch) {
    return of(window, means, commonVariance, smallestBatch, largestBatch, EVERY_CLASS);
  }

  /**
   * Those of the clean path that are of one class: of a shift that is one class's only they say
   * more than all.
   */
  static CleanPath ofClass(
      CellCube window, ReferenceMeans means, double commonVariance, int classLevel) {
    return of(window, means, commonVariance, 0, CellAxes.CLEAN_BATCH, classLevel);
  }

  private static CleanPath of(
      CellCube window,
      ReferenceMeans means,
      double commonVariance,
      int smallestBatch,
      int largestBatch,
      int classLevel) {
    Grid grid = window.grid();
    double[] counts = window.counts();
    double[] sums = window.sums();
    double n = 0;
    double residual = 0;
    for (int cell = 0; cell < counts.length; cell++) {
      boolean asked = classLevel == EVERY_CLASS || grid.level(cell, Grid.CLASS) == classLevel;
      if (asked
          && clean(window.axes(), grid, cell)
          && window.axes().batchWithin(grid.level(cell, Grid.BATCH), smallestBatch, largestBatch)) {
        n += counts[cell];
        residual += sums[cell] - counts[cell] * means.mean(cell);
      }
    }
    double error = StrictMath.sqrt(means.variance() / Math.max(n, 1) + commonVariance);
    return new CleanPath(
        n == 0 ? Double.NaN : residual / n,
        error,
        Math.round(n),
        window.axes().known(Grid.BATCH),
        window.axes().known(Grid.CACHE),
        window.axes().known(Grid.PREEMPTED),
        means.rate());
  }

  private static boolean clean(CellAxes axes, Grid grid, int cell) {
    for (int axis : new int[] {Grid.CACHE, Grid.PREEMPTED}) {
      if (!axes.clean(axis, grid.level(cell, axis))) {
        return false;
      }
    }
    return true;
  }

  /** Whether anything is known of batch, cache or preemption; else these are all requests. */
  public boolean recorded() {
    return batch || cache || preemption;
  }

  /** Whether there are enough of them to say whether they moved or stayed. */
  public boolean enough() {
    return requests >= LEAST_REQUESTS;
  }

  /**
   * Whether they moved like the rest.
   *
   * @param within mean shift of all like requests
   */
  public boolean moved(double within) {
    return enough() && movedBy(SURELY, within);
  }

  /**
   * The same where they may be fewer, of a mean, and moved so far that no hundred is needed.
   *
   * @param within mean shift of all like requests
   */
  boolean movedBeyondDoubt(double within) {
    return !rate && requests >= FEWEST && movedBy(BEYOND_DOUBT, within);
  }

  private boolean movedBy(double standardErrors, double within) {
    return Math.abs(shift) > standardErrors * standardError
        && Math.abs(shift) >= .5 * Math.abs(within)
        && shift * within > 0;
  }

  /** Whether they stayed: enough of them, and no more than noise. */
  public boolean stayed() {
    return enough() && Math.abs(shift) <= SURELY * standardError;
  }
}
