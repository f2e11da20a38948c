package io.servedrift.monitors.attribution;

/**
 * Index arithmetic of the five axes load, class, cache, batch and preempted: a cell is one index, a
 * set of axes is a bit mask. Immutable but for lazily kept projections; not thread-safe.
 */
final class Grid {
  static final int LOAD = 0;
  static final int CLASS = 1;
  static final int CACHE = 2;
  static final int BATCH = 3;
  static final int PREEMPTED = 4;
  static final int AXES = 5;

  static final int ALL = (1 << AXES) - 1;

  /** All axes but load: what identifies like requests inside a window. */
  static final int WITHOUT_LOAD = mask(CLASS, CACHE, BATCH, PREEMPTED);

  private final int[] sizes;
  private final int cells;
  private final int[][] projections = new int[1 << AXES][];

  Grid(int... sizes) {
    this.sizes = sizes.clone();
    int product = 1;
    for (int size : sizes) {
      product *= size;
    }
    cells = product;
  }

  static int mask(int... axes) {
    int mask = 0;
    for (int axis : axes) {
      mask |= 1 << axis;
    }
    return mask;
  }

  int cells() {
    return cells;
  }

  int size(int axis) {
    return sizes[axis];
  }

  int index(int load, int group, int cache, int batch, int preempted) {
    return (((load * sizes[CLASS] + group) * sizes[CACHE] + cache) * sizes[BATCH] + batch)
            * sizes[PREEMPTED]
        + preempted;
  }

  /** Level of a cell on one axis. */
  int level(int cell, int axis) {
    return projection(1 << axis)[cell];
  }

  /** Cell to index among the combinations of the mask; the last entry is their number. */
  int[] projection(int mask) {
    int[] known = projections[mask];
    if (known == null) {
      known = project(mask);
      projections[mask] = known;
    }
    return known;
  }

  private int[] project(int mask) {
    int[] result = new int[cells + 1];
    for (int cell = 0; cell < cells; cell++) {
      int rest = cell;
      int factor = 1;
      int index = 0;
      for (int axis = AXES - 1; axis >= 0; axis--) {
        if ((mask & 1 << axis) != 0) {
          index += factor * (rest % sizes[axis]);
          factor *= sizes[axis];
        }
        rest /= sizes[axis];
      }
      result[cell] = index;
    }
    int combinations = 1;
    for (int axis = 0; axis < AXES; axis++) {
      combinations *= (mask & 1 << axis) != 0 ? sizes[axis] : 1;
    }
    result[cells] = combinations;
    return result;
  }

  /** Sums over all axes outside the mask. */
  double[] marginal(double[] values, int mask) {
    int[] to = projection(mask);
    double[] sums = new double[to[cells]];
    for (int cell = 0; cell < cells; cell++) {
      sums[to[cell]] += values[cell];
    }
    return sums;
  }
}
