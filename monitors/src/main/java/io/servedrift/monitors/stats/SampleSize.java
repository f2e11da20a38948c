package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * How many pairs, or values per arm, a test of equivalence or non-inferiority needs, by the normal
 * approximation. All take alpha, the error on one side, and power, the probability to pass when the
 * true difference is as said. Results are rounded up, and at most 1e15. Pure functions.
 */
public final class SampleSize {
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
  private static final double LARGEST = 1e15;

  private SampleSize() {}

  /**
   * Pairs for two one-sided tests (Schuirmann 1987) of a paired mean: (z_alpha + z_beta)^2 (sd /
   * (margin - |difference|))^2 for the nearer margin, and not fewer than without a difference,
   * where either margin can be missed and beta is halved.
   *
   * @param sd standard deviation of the paired difference, 0 or more
   * @param margin above 0
   * @param difference true one, smaller than the margin
   */
  public static long equivalence(
      double sd, double margin, double difference, double alpha, double power) {
    Arguments.requireAbove("margin", margin, 0);
    double room = margin - Math.abs(difference);
    Arguments.requireAbove("margin - |difference|", room, 0);
    double nearer = squared(alpha, 1 - power) * sd * sd / (room * room);
    double both = squared(alpha, (1 - power) / 2) * sd * sd / (margin * margin);
    return of(Math.max(nearer, both));
  }

  /**
   * Pairs for one side only: (z_alpha + z_beta)^2 (sd / room)^2.
   *
   * @param room distance of the true difference from the margin, above 0
   */
  public static long nonInferiority(double sd, double room, double alpha, double power) {
    Arguments.requireAbove("room", room, 0);
    return of(squared(alpha, 1 - power) * sd * sd / (room * room));
  }

  /**
   * Pairs for the difference of two paired proportions that are equal: (z_alpha + z_beta)^2 psi /
   * margin^2.
   *
   * @param discordant psi, share of pairs that differ, 0 to 1
   * @param margin above 0
   */
  public static long pairedProportions(
      double discordant, double margin, double alpha, double power) {
    Arguments.requireProbability("discordant", discordant);
    return nonInferiority(Math.sqrt(discordant), margin, alpha, power);
  }

  /**
   * Smallest n with which so many failures still show a success share of at least {@code share}:
   * the one-sided limit of Clopper and Pearson reaches it.
   *
   * @param share inside (0, 1)
   * @param failures 0 or more
   * @param level confidence level, inside (0, 1)
   */
  public static long share(double share, long failures, double level) {
    Arguments.requireInside("share", share);
    Arguments.requireAtLeast("failures", failures, 0L);
    Arguments.requireInside("level", level);
    long below = failures;
    long enough = 2 * failures + 1;
    while (BinomialTails.cumulative(failures, enough, 1 - share) > 1 - level) {
      below = enough;
      enough *= 2;
    }
    while (enough - below > 1) {
      long middle = below + (enough - below) / 2;
      if (BinomialTails.cumulative(failures, middle, 1 - share) > 1 - level) {
        below = middle;
      } else {
        enough = middle;
      }
    }
    return enough;
  }

  /**
   * Values per arm for the ratio of a quantile of lognormal values that are equally distributed: 2
   * (z_alpha + z_beta)^2 q (1 - q) / phi(z_q)^2 s^2 / ln(1 + margin)^2. Samples this size have a
   * little less power than said, as the interval comes from order statistics; plan with 1.25 times
   * as many.
   *
   * @param s standard deviation of the logarithm, 0 or more
   * @param margin relative, above 0
   * @param q quantile, inside (0, 1)
   */
  public static long quantileRatio(double s, double margin, double q, double alpha, double power) {
    Arguments.requireAbove("margin", margin, 0);
    Arguments.requireInside("q", q);
    double density = NORMAL.density(NORMAL.inverseCumulativeProbability(q));
    double log = StrictMath.log1p(margin);
    return of(
        2 * squared(alpha, 1 - power) * q * (1 - q) / (density * density) * s * s / (log * log));
  }

  private static double squared(double alpha, double beta) {
    Arguments.requireInside("alpha", alpha);
    Arguments.requireInside("beta", beta);
    double z = NORMAL.inverseSurvivalProbability(alpha) + NORMAL.inverseSurvivalProbability(beta);
    return z * z;
  }

  private static long of(double n) {
    return (long) Math.min(LARGEST, Math.max(1, Math.ceil(n)));
  }
}
