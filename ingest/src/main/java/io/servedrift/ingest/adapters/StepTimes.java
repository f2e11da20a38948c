package io.servedrift.ingest.adapters;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tells from the durations of denoising steps how many of them a step cache answered: a cached step
 * is visibly shorter. An inference, not a reading, so it is made only where two groups are far
 * apart: sorted, the widest gap between neighbours must be at least {@value #LEAST_GAP} as a ratio,
 * each group must spread less than that gap, and two steps be below it and three, and a tenth of
 * all, above: fewer are hiccups. When all steps are within {@value #LEAST_SPREAD} of each other and
 * the first is near them too, none was cached. Everything else says nothing. The first step warms
 * up: it is in neither group, and counts as executed whatever it took. Pure.
 */
final class StepTimes {
  static final double LEAST_GAP = 1.5;
  static final double LEAST_SPREAD = 1.3;

  private static final int LEAST_STEPS = 5;

  private StepTimes() {}

  /**
   * How the steps split.
   *
   * @param cached answered by the cache
   * @param executed computed
   */
  record Split(int cached, int executed) {}

  /**
   * Splits the steps of one request.
   *
   * @param durations in any one unit
   * @return null when they do not tell
   */
  static @Nullable Split of(double[] durations) {
    if (durations.length < LEAST_STEPS || !Arrays.stream(durations).allMatch(Double::isFinite)) {
      return null;
    }
    double[] sorted = Arrays.copyOfRange(durations, 1, durations.length);
    Arrays.sort(sorted);
    if (!(sorted[0] > 0)) {
      return null;
    }
    int below = 0;
    double widest = 1;
    for (int i = 1; i < sorted.length; i++) {
      double gap = sorted[i] / sorted[i - 1];
      if (gap > widest) {
        widest = gap;
        below = i;
      }
    }
    double longest = sorted[sorted.length - 1];
    if (longest / sorted[0] <= LEAST_SPREAD) {
      // A first step far above the rest may be the only one that was computed.
      return durations[0] < LEAST_GAP * longest ? new Split(0, durations.length) : null;
    }
    int above = sorted.length - below;
    boolean groups =
        widest >= LEAST_GAP
            && below >= 2
            && above >= Math.max(3, sorted.length / 10.0)
            && sorted[below - 1] / sorted[0] < widest
            && longest / sorted[below] < widest;
    return groups ? new Split(below, above + 1) : null;
  }
}
