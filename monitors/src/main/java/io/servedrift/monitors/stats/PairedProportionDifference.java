package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * The difference p1 - p2 of two proportions seen on the same n subjects, as in McNemar's table.
 * Only the discordant pairs count: {@code onlyFirst} had the event the first time and not the
 * second, {@code onlySecond} the other way round. Pure functions.
 *
 * <p>Example: 21 patients, 1 only before, 7 only after: -0.286, 95 % interval -0.517 to -0.026.
 */
public final class PairedProportionDifference {
  private PairedProportionDifference() {}

  /**
   * Score test of p1 - p2 = difference by Tango (Statistics in Medicine 17, 1998, equation 7): the
   * variance is that of the most likely discordant share with this difference.
   *
   * @param onlyFirst 0 to n
   * @param onlySecond 0 to n - onlyFirst
   * @param n pairs, at least 1
   * @param difference inside (-1, 1)
   */
  public static ZScore score(long onlyFirst, long onlySecond, long n, double difference) {
    check(onlyFirst, onlySecond, n);
    if (!(difference > -1 && difference < 1)) {
      throw new IllegalArgumentException(
          "difference=" + difference + ": must lie between -1 and 1, both excluded");
    }
    double distance = (double) onlyFirst - onlySecond - n * difference;
    if (distance == 0) {
      return new ZScore(0);
    }
    double second = restricted(onlyFirst, onlySecond, n, difference);
    double variance = n * (2 * second + difference * (1 - difference));
    // Without spread the data are impossible under this difference.
    return new ZScore(
        variance > 0
            ? distance / Math.sqrt(variance)
            : Math.copySign(Double.POSITIVE_INFINITY, distance));
  }

  /**
   * The interval of the differences that {@link #score} does not reject.
   *
   * @param level confidence level, inside (0, 1)
   */
  public static Interval interval(long onlyFirst, long onlySecond, long n, double level) {
    check(onlyFirst, onlySecond, n);
    Arguments.requireInside("level", level);
    double z = NormalDistribution.of(0, 1).inverseSurvivalProbability((1 - level) / 2);
    double estimate = ((double) onlyFirst - onlySecond) / n;
    return new Interval(
        limit(onlyFirst, onlySecond, n, -1, estimate, z),
        -limit(onlySecond, onlyFirst, n, -1, -estimate, z));
  }

  /** Where the score falls to z, between a difference below it and the estimate. */
  private static double limit(
      long onlyFirst, long onlySecond, long n, double from, double to, double z) {
    double below = from;
    double above = to;
    for (int i = 0; i < 200 && above - below > 1e-15; i++) {
      double middle = (below + above) / 2;
      if (middle <= -1) {
        return -1;
      }
      if (middle >= 1) {
        return 1;
      }
      if (score(onlyFirst, onlySecond, n, middle).z() > z) {
        below = middle;
      } else {
        above = middle;
      }
    }
    return above;
  }

  /** Most likely share of pairs with the event only the second time; the root of a quadratic. */
  private static double restricted(long onlyFirst, long onlySecond, long n, double difference) {
    double a = 2.0 * n;
    double b = -onlyFirst - onlySecond + (2.0 * n - onlyFirst + (double) onlySecond) * difference;
    double c = -onlySecond * difference * (1 - difference);
    double root = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
    return Math.max(0, Math.max(-difference, root));
  }

  private static void check(long onlyFirst, long onlySecond, long n) {
    Arguments.requireAtLeast("n", n, 1L);
    Arguments.requireCount("onlyFirst", onlyFirst, n);
    Arguments.requireCount("onlySecond", onlySecond, n - onlyFirst);
  }
}
