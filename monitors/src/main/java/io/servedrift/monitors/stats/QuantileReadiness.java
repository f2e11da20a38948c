package io.servedrift.monitors.stats;

/** How much a sample quantile may be believed, from the number of values alone. */
public enum QuantileReadiness {
  /** At least ten values are expected beyond the quantile (n &gt;= 1000 for p99). */
  SUFFICIENT,
  /** A two-sided interval exists, but it is wide (368..999 for p99 at 95 %). */
  WIDE,
  /** Only a lower limit is worth saying; the one-sided upper limit is the maximum (299..367). */
  LOWER_BOUND,
  /** No limit can be given (fewer than 299). */
  INSUFFICIENT;

  private static final double VALUES_BEYOND = 10;

  /**
   * Readiness of the q-quantile of n values.
   *
   * @param n number of values, 0 or more
   * @param q quantile, inside (0, 1)
   * @param level confidence level of its interval, inside (0, 1)
   */
  public static QuantileReadiness of(long n, double q, double level) {
    Arguments.requireAtLeast("n", n, 0);
    if (n < MinimumSampleSize.oneSided(q, level)) {
      return INSUFFICIENT;
    }
    if (n < MinimumSampleSize.twoSided(q, level)) {
      return LOWER_BOUND;
    }
    // The rounding of 1 - q must not cost the thousandth value.
    double beyond = n * Math.min(q, 1 - q);
    return beyond >= VALUES_BEYOND * (1 - 1e-12) ? SUFFICIENT : WIDE;
  }
}
