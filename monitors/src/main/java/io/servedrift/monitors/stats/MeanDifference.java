package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The difference of two means by Welch's t (Welch 1947): unequal variances, degrees of freedom by
 * Satterthwaite. It supposes independent values and means that are nearly normal. Pure functions.
 */
public final class MeanDifference {
  private MeanDifference() {}

  /**
   * Interval for mean(first) - mean(second), in the unit of the values.
   *
   * @param first moments of at least 2 values
   * @param second moments of at least 2 values
   * @param level confidence level, inside (0, 1)
   */
  public static Interval welch(Moments first, Moments second, double level) {
    Arguments.requireAtLeast("n1", first.n(), 2L);
    Arguments.requireAtLeast("n2", second.n(), 2L);
    Arguments.requireInside("level", level);
    double difference = first.mean() - second.mean();
    double a = first.variance() / first.n();
    double b = second.variance() / second.n();
    double error = a + b;
    if (!(error > 0)) {
      return new Interval(difference, difference);
    }
    double freedom = error * error / (a * a / (first.n() - 1) + b * b / (second.n() - 1));
    double half =
        TDistribution.of(freedom).inverseSurvivalProbability((1 - level) / 2) * Math.sqrt(error);
    return new Interval(difference - half, difference + half);
  }
}
