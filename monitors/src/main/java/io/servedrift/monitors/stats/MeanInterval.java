package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Confidence interval for a mean by Student's t: mean -+ t(n-1) sd / sqrt(n). It supposes
 * independent values and a mean that is nearly normal, which at the n of a window holds for
 * latencies and scores alike.
 */
public final class MeanInterval {
  private MeanInterval() {}

  /**
   * Interval from the moments.
   *
   * @param n number of values, at least 2
   * @param mean their mean
   * @param sd their standard deviation (divisor n - 1), 0 or more, same unit
   * @param level confidence level, inside (0, 1)
   */
  public static Interval of(long n, double mean, double sd, double level) {
    check(n, sd);
    Arguments.requireInside("level", level);
    double t = TDistribution.of(n - 1.0).inverseSurvivalProbability((1 - level) / 2);
    double half = t * sd / Math.sqrt((double) n);
    return new Interval(mean - half, mean + half);
  }

  /**
   * p-value of Student's t against "the mean is at least {@code bound}": small when it lies below.
   *
   * @param n number of values, at least 2
   * @param mean their mean
   * @param sd their standard deviation, 0 or more
   */
  public static double pBelow(long n, double mean, double sd, double bound) {
    check(n, sd);
    if (sd == 0) {
      return mean < bound ? 0 : 1;
    }
    return TDistribution.of(n - 1.0)
        .cumulativeProbability((mean - bound) / sd * Math.sqrt((double) n));
  }

  private static void check(long n, double sd) {
    Arguments.requireAtLeast("n", n, 2);
    if (!(sd >= 0)) {
      throw new IllegalArgumentException("sd=" + sd + ": must not be negative");
    }
  }
}
