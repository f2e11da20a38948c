package io.servedrift.monitors.attribution;

/**
 * Requests that ran alone against those that shared a batch, all of them cache misses and not
 * preempted. The clean path holds small batches, so a fault that hits every batched request moves
 * it; what ran alone tells it from a fault that hits all. Immutable.
 *
 * @param alone requests at batch 1
 * @param batched requests at batch 2 and more
 */
record BatchContrast(CleanPath alone, CleanPath batched) {
  /** Standard errors by which the two must have moved apart. */
  private static final double APART = 3;

  static BatchContrast of(CellCube window, ReferenceMeans means, double commonVariance) {
    return new BatchContrast(
        CleanPath.of(window, means, commonVariance, 1, 1),
        CleanPath.of(window, means, commonVariance, 2, Integer.MAX_VALUE));
  }

  /**
   * Whether those alone stayed, clearly below half of the shift, while the others moved like the
   * rest. Too few requests alone say nothing.
   *
   * @param within mean shift of all like requests
   */
  boolean onlyBatchedMoved(double within) {
    double apart = Math.abs(batched.shift() - alone.shift());
    double noise = StrictMath.hypot(batched.standardError(), alone.standardError());
    return alone.recorded()
        && alone.stayed()
        && Math.abs(alone.shift()) + alone.standardError() <= .5 * Math.abs(within)
        && batched.moved(within)
        && apart > APART * noise;
  }
}
