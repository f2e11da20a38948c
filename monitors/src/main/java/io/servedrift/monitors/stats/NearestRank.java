package io.servedrift.monitors.stats;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The nearest-rank definition of a sample quantile: the q-quantile of n values is the order
 * statistic of rank {@code ceil(q n)}, counted from 1. It is always one of the values. Example: the
 * p99 of 250 values is the 248th smallest.
 *
 * <p>{@code q} is read as the decimal number it prints as: 0.07 of 100 is rank 7, although the
 * binary product is a little more than 7. Hyndman &amp; Fan (1996), definition 1; numpy calls it
 * {@code inverted_cdf}.
 */
public final class NearestRank {
  private NearestRank() {}

  /**
   * Rank of the q-quantile among n values.
   *
   * @param q 0 to 1; 0 gives rank 1
   * @param n at least 1
   * @return 1 to n
   */
  public static long of(double q, long n) {
    Arguments.requireProbability("q", q);
    Arguments.requireAtLeast("n", n, 1);
    long rank =
        BigDecimal.valueOf(q)
            .multiply(BigDecimal.valueOf(n))
            .setScale(0, RoundingMode.CEILING)
            .longValueExact();
    return Math.max(1, rank);
  }
}
