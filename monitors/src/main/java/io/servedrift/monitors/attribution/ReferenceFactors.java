package io.servedrift.monitors.attribution;

/**
 * The factors P(load) P(class|load) P(cache|load,class) P(batch|load,class,cache)
 * P(preempted|load,class,cache,batch) of the reference, and those of a window shrunk to them, each
 * as one value per cell (STATISTICS C.3). Reference conditionals shrink to a lower order by weight
 * 5 and window conditionals to the reference by weight 20, so that an empty cell means no change.
 * Prior art: Budhathoki, Janzing, Bloebaum and Ng, AISTATS 2021.
 */
final class ReferenceFactors {
  private static final double LOAD_WEIGHT = 1;
  private static final double REFERENCE_WEIGHT = 5;
  private static final double WINDOW_WEIGHT = 20;

  private static final int[] PARENTS = {
    0,
    Grid.mask(Grid.LOAD),
    Grid.mask(Grid.LOAD, Grid.CLASS),
    Grid.mask(Grid.LOAD, Grid.CLASS, Grid.CACHE),
    Grid.mask(Grid.LOAD, Grid.CLASS, Grid.CACHE, Grid.BATCH)
  };

  /** Parents of the lower-order conditional that a sparse reference shrinks to. */
  private static final int[] LOWER_PARENTS = {
    0,
    Grid.mask(Grid.LOAD),
    Grid.mask(Grid.CLASS),
    Grid.mask(Grid.LOAD),
    Grid.mask(Grid.LOAD, Grid.BATCH)
  };

  private final Grid grid;
  private final double[][] factors = new double[Grid.AXES][];
  private final boolean[] unseenLoad;

  ReferenceFactors(Grid grid, double[] counts) {
    this.grid = grid;
    double[] atLoad = grid.marginal(counts, Grid.mask(Grid.LOAD));
    unseenLoad = new boolean[atLoad.length];
    for (int load = 0; load < atLoad.length; load++) {
      unseenLoad[load] = atLoad[load] < VerdictRules.KNOWN_CELL;
    }
    factors[Grid.LOAD] =
        conditional(counts, 0, Grid.LOAD, marginal(counts, Grid.LOAD), LOAD_WEIGHT);
    for (int axis = Grid.CLASS; axis < Grid.AXES; axis++) {
      double[] lower =
          conditional(counts, LOWER_PARENTS[axis], axis, marginal(counts, axis), REFERENCE_WEIGHT);
      factors[axis] = conditional(counts, PARENTS[axis], axis, lower, REFERENCE_WEIGHT);
    }
  }

  /**
   * The factors to compare a window with: those of the reference, but at a load it has not seen the
   * window's own for cache, batch and preemption. What a mechanism does at such a load nobody
   * knows; that it does something else there is the load's doing.
   */
  double[][] against(double[][] window) {
    double[][] result = factors.clone();
    for (int axis = Grid.CACHE; axis < Grid.AXES; axis++) {
      result[axis] = factors[axis].clone();
      for (int cell = 0; cell < grid.cells(); cell++) {
        if (unseenLoad[grid.level(cell, Grid.LOAD)]) {
          result[axis][cell] = window[axis][cell];
        }
      }
    }
    return result;
  }

  /** The factors of a window, by axis. */
  double[][] ofWindow(double[] counts) {
    double[][] result = new double[Grid.AXES][];
    for (int axis = 0; axis < Grid.AXES; axis++) {
      double weight = axis == Grid.LOAD ? LOAD_WEIGHT : WINDOW_WEIGHT;
      result[axis] = conditional(counts, PARENTS[axis], axis, factors[axis], weight);
    }
    return result;
  }

  private double[] marginal(double[] counts, int axis) {
    double[] of = grid.marginal(counts, Grid.mask(axis));
    double total = 0;
    for (double count : of) {
      total += count;
    }
    double[] result = new double[grid.cells()];
    for (int cell = 0; cell < result.length; cell++) {
      result[cell] = (of[grid.level(cell, axis)] + 1) / (total + of.length);
    }
    return result;
  }

  private double[] conditional(
      double[] counts, int parents, int child, double[] prior, double weight) {
    int both = parents | Grid.mask(child);
    double[] joint = grid.marginal(counts, both);
    double[] given = grid.marginal(counts, parents);
    int[] toJoint = grid.projection(both);
    int[] toGiven = grid.projection(parents);
    double[] result = new double[grid.cells()];
    for (int cell = 0; cell < result.length; cell++) {
      result[cell] =
          (joint[toJoint[cell]] + weight * prior[cell]) / (given[toGiven[cell]] + weight);
    }
    return result;
  }
}
