package io.servedrift.monitors.stats;

/**
 * How many values a limit for a quantile needs to exist at all. Below it even the extreme values of
 * the sample are no limit. For p99 at 95 %: 299 for one side, 368 for both; for p99.9: 2995 and
 * 3688.
 */
public final class MinimumSampleSize {
  private MinimumSampleSize() {}

  /**
   * Smallest n with a finite one-sided limit on the far side of the quantile: max(q, 1-q)^n &lt;= 1
   * - level.
   *
   * @param q quantile, inside (0, 1)
   * @param level confidence level, inside (0, 1)
   */
  public static long oneSided(double q, double level) {
    Arguments.requireInside("level", level);
    return smallest(q, 1 - level);
  }

  /** Smallest n with two finite limits: max(q, 1-q)^n &lt;= (1 - level) / 2; arguments as above. */
  public static long twoSided(double q, double level) {
    Arguments.requireInside("level", level);
    return smallest(q, (1 - level) / 2);
  }

  private static long smallest(double q, double tail) {
    Arguments.requireInside("q", q);
    double far = Math.max(q, 1 - q);
    long n = Math.max(1, (long) Math.floor(StrictMath.log(tail) / StrictMath.log(far)) - 1);
    while (StrictMath.pow(far, (double) n) > tail) {
      n++;
    }
    return n;
  }
}
