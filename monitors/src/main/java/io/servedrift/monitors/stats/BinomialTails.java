package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * Distribution function and quantile of the binomial law for any number of trials that fits a long,
 * by the identity P(X &lt;= k) = P(Beta(k + 1, n - k) &gt; p).
 */
final class BinomialTails {
  /** Half width of the first bracket of {@link #quantile} in standard deviations. */
  private static final double BRACKET = 8;

  private BinomialTails() {}

  /** P(X &lt;= k) for X ~ Binomial(n, p), 0 &lt; p &lt; 1. */
  static double cumulative(long k, long n, double p) {
    if (k < 0) {
      return 0;
    }
    if (k >= n) {
      return 1;
    }
    return BetaDistribution.of(k + 1.0, (double) (n - k)).survivalProbability(p);
  }

  /** The smallest k with P(X &lt;= k) &gt;= probability. */
  static long quantile(double probability, long n, double p) {
    double spread = BRACKET * Math.sqrt(n * p * (1 - p)) + BRACKET;
    long below = Math.max(-1, (long) Math.floor(n * p - spread));
    long atLeast = Math.min(n, (long) Math.ceil(n * p + spread));
    if (cumulative(below, n, p) >= probability) {
      below = -1;
    }
    if (cumulative(atLeast, n, p) < probability) {
      atLeast = n;
    }
    while (atLeast - below > 1) {
      long middle = below + (atLeast - below) / 2;
      if (cumulative(middle, n, p) >= probability) {
        atLeast = middle;
      } else {
        below = middle;
      }
    }
    return atLeast;
  }
}
