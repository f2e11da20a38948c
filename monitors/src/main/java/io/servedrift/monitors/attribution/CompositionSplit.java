package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Shapley;

/**
 * Charges the composition part of a difference to the mechanisms load, class mix, cache, batch and
 * preemption: the Shapley value of the game whose value for a set of mechanisms is the reference
 * mean of traffic in which these factors are the window's and the others the reference's
 * (STATISTICS C.3).
 */
final class CompositionSplit {
  private final Grid grid;
  private final ReferenceFactors reference;
  private final double[] means;

  CompositionSplit(Grid grid, ReferenceFactors reference, ReferenceMeans means) {
    this.grid = grid;
    this.reference = reference;
    this.means = means.means();
  }

  /** Contribution of each axis, in the unit of the metric; by the axis numbers of the grid. */
  double[] of(double[] windowCounts) {
    double[][] window = reference.ofWindow(windowCounts);
    double[][] before = reference.against(window);
    double[] value = new double[1 << Grid.AXES];
    for (int players = 0; players < value.length; players++) {
      value[players] = value(players, before, window);
    }
    return Shapley.of(value);
  }

  private double value(int players, double[][] before, double[][] window) {
    double[][] chosen = new double[Grid.AXES][];
    for (int axis = 0; axis < Grid.AXES; axis++) {
      chosen[axis] = (players & 1 << axis) != 0 ? window[axis] : before[axis];
    }
    double sum = 0;
    for (int cell = 0; cell < grid.cells(); cell++) {
      sum +=
          chosen[0][cell]
              * chosen[1][cell]
              * chosen[2][cell]
              * chosen[3][cell]
              * chosen[4][cell]
              * means[cell];
    }
    return sum;
  }
}
