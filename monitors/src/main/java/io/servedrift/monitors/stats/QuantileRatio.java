package io.servedrift.monitors.stats;

import java.util.Arrays;
import java.util.OptionalLong;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * The ratio of a quantile of two independent samples of positive values, e.g. the p99 of a new and
 * of an old runtime. On the logarithm it is nearly normal; the standard error of each side comes
 * from its order statistics, (ln x_(u) - ln x_(l)) / (2 z_.975) with the ranks of the 95 % interval
 * (Woodruff, JASA 47, 1952), so no law of the values is supposed. Values that hang together, as
 * latencies of one minute do, count for less: with an inflation of phi the ranks are those of n /
 * phi independent values.
 *
 * @param log ln(quantile of the numerator / quantile of the denominator)
 * @param error standard error of {@code log}; infinite when a side is too small for an interval
 */
public record QuantileRatio(double log, double error) {
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
  private static final double LEVEL = 0.95;

  /**
   * Compares two samples.
   *
   * @param numerator at least one value, each above 0
   * @param denominator at least one value, each above 0
   * @param q quantile, inside (0, 1)
   * @param phiNumerator variance inflation, 1 or more
   * @param phiDenominator the same of the denominator
   */
  public static QuantileRatio of(
      double[] numerator,
      double[] denominator,
      double q,
      double phiNumerator,
      double phiDenominator) {
    double[] above = sorted("numerator", numerator);
    double[] below = sorted("denominator", denominator);
    Arguments.requireInside("q", q);
    double first = error(above, q, phiNumerator);
    double second = error(below, q, phiDenominator);
    return new QuantileRatio(
        StrictMath.log(quantile(above, q)) - StrictMath.log(quantile(below, q)),
        Math.sqrt(first * first + second * second));
  }

  /** The ratio. */
  public double ratio() {
    return StrictMath.exp(log);
  }

  /**
   * Interval of the ratio; reaches from 0 to infinity when a side is too small.
   *
   * @param level confidence level, inside (0, 1)
   */
  public Interval interval(double level) {
    Arguments.requireInside("level", level);
    double half = NORMAL.inverseSurvivalProbability((1 - level) / 2) * error;
    return Double.isFinite(half)
        ? new Interval(StrictMath.exp(log - half), StrictMath.exp(log + half))
        : new Interval(0, Double.POSITIVE_INFINITY);
  }

  private static double error(double[] sorted, double q, double phi) {
    Arguments.requireAtLeast("phi", phi, 1.0);
    long n = (long) Math.floor(sorted.length / phi);
    if (n < 1) {
      return Double.POSITIVE_INFINITY;
    }
    OrderStatisticInterval ranks = OrderStatisticInterval.of(n, q, LEVEL);
    OptionalLong lower = ranks.lowerRank();
    OptionalLong upper = ranks.upperRank();
    if (lower.isEmpty() || upper.isEmpty()) {
      return Double.POSITIVE_INFINITY;
    }
    double width =
        StrictMath.log(at(sorted, upper.getAsLong(), n))
            - StrictMath.log(at(sorted, lower.getAsLong(), n));
    return width / (2 * NORMAL.inverseSurvivalProbability((1 - LEVEL) / 2));
  }

  /** The value at a rank of n, where the sample has more: the same share lies below. */
  private static double at(double[] sorted, long rank, long n) {
    long scaled = n == sorted.length ? rank : Math.round((double) rank * sorted.length / n);
    return sorted[(int) Math.min(sorted.length, Math.max(1, scaled)) - 1];
  }

  private static double quantile(double[] sorted, double q) {
    return sorted[(int) NearestRank.of(q, sorted.length) - 1];
  }

  private static double[] sorted(String name, double[] values) {
    Arguments.requireAtLeast("number of values in " + name, (long) values.length, 1L);
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    Arguments.requireAbove("smallest value in " + name, sorted[0], 0);
    Arguments.requireFinite("largest value in " + name, sorted[sorted.length - 1]);
    return sorted;
  }
}
