package io.servedrift.monitors.stats;

import java.util.OptionalLong;

/**
 * Confidence interval for a quantile as two ranks: [x_(lower), x_(upper)], exact and without any
 * assumption on the law of the values beyond independence. With a = 1 - level, lower = B(a/2) and
 * upper = B(1 - a/2) + 1, where B is the quantile function of Binomial(n, q). A rank below 1 or
 * above n does not exist: no limit on that side.
 *
 * <p>Example: p99 of 1000 values at 95 %: ranks 983 and 997, true coverage 97.6 %. p99 of 100
 * values: lower rank 97, no upper limit, because with probability 0.99^100 = 37 % even the largest
 * value lies below the true p99.
 *
 * @param lowerRank rank of the lower limit, from 1; empty = unbounded
 * @param upperRank rank of the upper limit, up to n; empty = unbounded
 * @param coverage probability that the interval holds the quantile of a continuous law; at least
 *     the level
 */
public record OrderStatisticInterval(
    OptionalLong lowerRank, OptionalLong upperRank, double coverage) {

  /**
   * Ranks for the q-quantile of n values.
   *
   * @param n number of values, at least 1
   * @param q quantile, inside (0, 1)
   * @param level confidence level, inside (0, 1)
   */
  public static OrderStatisticInterval of(long n, double q, double level) {
    Arguments.requireAtLeast("n", n, 1);
    Arguments.requireInside("q", q);
    Arguments.requireInside("level", level);
    double tail = (1 - level) / 2;
    long lower = BinomialTails.quantile(tail, n, q);
    long upper = BinomialTails.quantile(1 - tail, n, q) + 1;
    double coverage =
        BinomialTails.cumulative(upper - 1, n, q) - BinomialTails.cumulative(lower - 1, n, q);
    return new OrderStatisticInterval(
        lower < 1 ? OptionalLong.empty() : OptionalLong.of(lower),
        upper > n ? OptionalLong.empty() : OptionalLong.of(upper),
        coverage);
  }
}
