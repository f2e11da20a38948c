package io.servedrift.monitors.stats;

import java.util.Arrays;

/**
 * The sample quantile by its definition, slow and without any formula for ranks: the smallest value
 * that at least the fraction {@code per mille / 1000} of all values do not exceed.
 */
public final class ExactQuantile {
  private ExactQuantile() {}

  /** Quantile of the values, in any order. */
  public static double of(double[] values, int perMille) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    for (double candidate : sorted) {
      long notAbove = Arrays.stream(sorted).filter(x -> x <= candidate).count();
      if (1000 * notAbove >= (long) perMille * sorted.length) {
        return candidate;
      }
    }
    throw new IllegalArgumentException("no values");
  }
}
