package io.servedrift.monitors.attribution;

/**
 * How much of a shift lies in batches that grew beyond all that the reference knows. Of what a
 * duration is at such a size the reference says nothing, and its largest known size bucket has
 * filled up to its end, too; so there is no telling whether requests in them got slower or the
 * batch did what it always does. Immutable.
 *
 * @param requests of the window in batches larger than the reference knows
 * @param smaller of the window in batches smaller than the largest that it knows
 * @param byNew part of the shift of like requests that they make
 * @param byGrown the same with the largest batches that it knows
 */
record GrownBatches(double requests, double smaller, double byNew, double byGrown) {
  /** Fewer requests in the reference say nothing of a size. */
  private static final double KNOWN = 100;

  /** Fewer smaller batches do not show that they stayed. */
  private static final double LEAST_SMALLER = 30;

  private static final double LEAST_NEW = .5;
  private static final double LEAST_GROWN = .8;

  /** Those of a window. */
  static GrownBatches of(CellCube reference, ResidualCells like, double within) {
    int[] smallest = smallest(reference);
    int largest = largestKnown(reference);
    double all = within * like.requests();
    double requests = 0;
    double smaller = 0;
    double ofNew = 0;
    double ofLargest = 0;
    for (int row = 0; row < like.rows() && largest > 0; row++) {
      int batch = smallest[like.level(Grid.BATCH, row)];
      double moved = like.count(row) * like.mean(row);
      requests += batch > largest ? like.count(row) : 0;
      smaller += batch < largest ? like.count(row) : 0;
      ofNew += batch > largest ? moved : 0;
      ofLargest += batch == largest ? moved : 0;
    }
    return all == 0
        ? new GrownBatches(requests, smaller, 0, 0)
        : new GrownBatches(requests, smaller, ofNew / all, (ofNew + ofLargest) / all);
  }

  /** Smallest size in the largest bucket that a reference knows; 0 when it knows none. */
  static int largestKnown(CellCube reference) {
    int[] smallest = smallest(reference);
    Grid grid = reference.grid();
    double[] known = grid.marginal(reference.counts(), Grid.mask(Grid.BATCH));
    int largest = 0;
    for (int level = 0; level < known.length; level++) {
      largest = known[level] >= KNOWN ? Math.max(largest, smallest[level]) : largest;
    }
    return largest;
  }

  private static int[] smallest(CellCube reference) {
    return reference.axes().batches().stream().mapToInt(CellAxes::smallestBatch).toArray();
  }

  /** Whether smaller batches, of which something is known, are there and add next to nothing. */
  boolean carry() {
    return requests > 0 && smaller >= LEAST_SMALLER && byNew >= LEAST_NEW && byGrown >= LEAST_GROWN;
  }
}
