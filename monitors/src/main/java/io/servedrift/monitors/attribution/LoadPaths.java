package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Shapley;

/**
 * Splits what a change of load does to the composition part into paths: direct, and through class
 * mix, cache, batch and preemption, whose conditionals depend on load in the reference. A path that
 * is on sees the window's load, one that is off an independent draw of the reference's; the Shapley
 * value over the five paths shares the whole. (Path-specific effects as in Avin, Shpitser and
 * Pearl, IJCAI 2005, without an order of paths.)
 */
final class LoadPaths {
  private final Grid grid;
  private final ReferenceFactors reference;
  private final double[] means;
  private final int loadStep;

  LoadPaths(Grid grid, ReferenceFactors reference, ReferenceMeans means) {
    this.grid = grid;
    this.reference = reference;
    this.means = means.means();
    loadStep = grid.cells() / grid.size(Grid.LOAD);
  }

  /**
   * Effect of each path, in the unit of the metric: index {@link Grid#LOAD} is the direct one, the
   * others go through the axis of that number.
   */
  double[] of(double[] windowCounts) {
    double[][] window = reference.ofWindow(windowCounts);
    double[][] factors = reference.against(window);
    double[] value = new double[1 << Grid.AXES];
    for (int before = 0; before < grid.size(Grid.LOAD); before++) {
      for (int now = 0; now < grid.size(Grid.LOAD); now++) {
        double weight = factors[Grid.LOAD][before * loadStep] * window[Grid.LOAD][now * loadStep];
        for (int on = 0; on < value.length; on++) {
          value[on] += weight * value(factors, on, before, now);
        }
      }
    }
    return Shapley.of(value);
  }

  private double value(double[][] factors, int on, int before, int now) {
    int[] from = new int[Grid.AXES];
    for (int axis = 0; axis < Grid.AXES; axis++) {
      from[axis] = ((on & 1 << axis) != 0 ? now : before) * loadStep;
    }
    double sum = 0;
    for (int like = 0; like < loadStep; like++) {
      sum +=
          factors[Grid.CLASS][from[Grid.CLASS] + like]
              * factors[Grid.CACHE][from[Grid.CACHE] + like]
              * factors[Grid.BATCH][from[Grid.BATCH] + like]
              * factors[Grid.PREEMPTED][from[Grid.PREEMPTED] + like]
              * means[from[Grid.LOAD] + like];
    }
    return sum;
  }
}
