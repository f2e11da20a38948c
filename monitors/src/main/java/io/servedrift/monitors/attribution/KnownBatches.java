package io.servedrift.monitors.attribution;

/**
 * Cells of batch sizes that a reference hardly knows, and those of the largest smaller size that it
 * does know in their place. A score is not expected to follow the batch, so larger batches than
 * ever are compared with the largest before; should they be worse, that shows as a shift of theirs
 * alone. Immutable.
 */
final class KnownBatches {
  /** Fewer requests of a batch size say nothing of its classes and cache states. */
  private static final double LEAST_REQUESTS = 100;

  private final int[] inPlaceOf;

  private KnownBatches(int[] inPlaceOf) {
    this.inPlaceOf = inPlaceOf;
  }

  /** Those of a reference. */
  static KnownBatches of(CellCube reference) {
    Grid grid = reference.grid();
    double[] known = grid.marginal(reference.counts(), Grid.mask(Grid.BATCH));
    int[] smallest =
        reference.axes().batches().stream().mapToInt(CellAxes::smallestBatch).toArray();
    int[] levels = new int[known.length];
    for (int level = 0; level < levels.length; level++) {
      levels[level] = level;
      int best = -1;
      for (int other = 0; known[level] < LEAST_REQUESTS && other < levels.length; other++) {
        boolean stands =
            known[other] >= LEAST_REQUESTS
                && smallest[other] > 0
                && smallest[other] < smallest[level];
        best = stands && (best < 0 || smallest[other] > smallest[best]) ? other : best;
      }
      levels[level] = best < 0 ? level : best;
    }
    double[] like = grid.marginal(reference.counts(), Grid.WITHOUT_LOAD);
    int[] toLike = grid.projection(Grid.WITHOUT_LOAD);
    int[] cells = cells(grid, levels);
    for (int cell = 0; cell < cells.length; cell++) {
      boolean own = like[toLike[cell]] >= VerdictRules.KNOWN_CELL;
      cells[cell] = own ? cell : cells[cell];
    }
    return new KnownBatches(cells);
  }

  private static int[] cells(Grid grid, int[] levels) {
    int[] cells = new int[grid.cells()];
    for (int cell = 0; cell < cells.length; cell++) {
      cells[cell] =
          grid.index(
              grid.level(cell, Grid.LOAD),
              grid.level(cell, Grid.CLASS),
              grid.level(cell, Grid.CACHE),
              levels[grid.level(cell, Grid.BATCH)],
              grid.level(cell, Grid.PREEMPTED));
    }
    return cells;
  }

  /** All as they are. */
  static KnownBatches all(Grid grid) {
    int[] levels = new int[grid.size(Grid.BATCH)];
    for (int level = 0; level < levels.length; level++) {
      levels[level] = level;
    }
    return new KnownBatches(cells(grid, levels));
  }

  /** The cell that a cell is compared with. */
  int cell(int cell) {
    return inPlaceOf[cell];
  }

  /** Counts of a window at the cells that they are compared with. */
  double[] moved(double[] counts) {
    double[] result = new double[counts.length];
    for (int cell = 0; cell < counts.length; cell++) {
      result[inPlaceOf[cell]] += counts[cell];
    }
    return result;
  }
}
