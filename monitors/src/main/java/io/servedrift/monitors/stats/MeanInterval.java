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
    Arguments.requireAtLeast("n", n, 2);
    Arguments.requireInside("level", level);
    if (!(sd >= 0)) {
      throw new IllegalArgumentException("sd=" + sd + ": must not be negative");
    }
    double t = TDistribution.of(n - 1.0).inverseSurvivalProbability((1 - level) / 2);
    double half = t * sd / Math.sqrt((double) n);
    return new Interval(mean - half, mean + half);
  }
}
