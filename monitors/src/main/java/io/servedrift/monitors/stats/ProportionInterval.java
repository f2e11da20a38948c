package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.BetaDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Confidence intervals for a probability, from k successes in n independent trials. All limits lie
 * in [0, 1].
 *
 * <p>Example: 0 errors in 300 requests leave an error ratio of up to 1.22 % possible
 * (Clopper-Pearson, 95 %).
 */
public final class ProportionInterval {
  private ProportionInterval() {}

  /**
   * Clopper &amp; Pearson (1934): never covers less than the level, whatever the probability.
   *
   * @param successes 0 to n
   * @param n number of trials, at least 1
   * @param level confidence level, inside (0, 1)
   */
  public static Interval clopperPearson(long successes, long n, double level) {
    check(successes, n, level);
    double tail = (1 - level) / 2;
    return new Interval(lower(successes, n, tail), upper(successes, n, tail));
  }

  /** One-sided upper limit of Clopper and Pearson; arguments as for {@link #clopperPearson}. */
  public static double upperLimit(long successes, long n, double level) {
    check(successes, n, level);
    return upper(successes, n, 1 - level);
  }

  /** One-sided lower limit of Clopper and Pearson; arguments as for {@link #clopperPearson}. */
  public static double lowerLimit(long successes, long n, double level) {
    check(successes, n, level);
    return lower(successes, n, 1 - level);
  }

  /**
   * Wilson (1927), without continuity correction: shorter, covers the level on average; arguments
   * as for {@link #clopperPearson}.
   */
  public static Interval wilson(long successes, long n, double level) {
    check(successes, n, level);
    double z = NormalDistribution.of(0, 1).inverseSurvivalProbability((1 - level) / 2);
    double p = (double) successes / n;
    double scale = 1 + z * z / n;
    double centre = (p + z * z / (2.0 * n)) / scale;
    double half = z * Math.sqrt(p * (1 - p) / n + z * z / (4.0 * n * n)) / scale;
    // At the ends the limit is exactly 0 or 1; the subtraction would leave a rounding error.
    return new Interval(
        successes == 0 ? 0 : Math.max(0, centre - half),
        successes == n ? 1 : Math.min(1, centre + half));
  }

  private static double lower(long k, long n, double tail) {
    return k == 0 ? 0 : betaQuantile((double) k, n - k + 1.0, tail);
  }

  private static double upper(long k, long n, double tail) {
    return k == n ? 1 : 1 - betaQuantile((double) (n - k), k + 1.0, tail);
  }

  private static double betaQuantile(double a, double b, double probability) {
    return BetaDistribution.of(a, b).inverseCumulativeProbability(probability);
  }

  private static void check(long successes, long n, double level) {
    Arguments.requireAtLeast("n", n, 1);
    Arguments.requireCount("successes", successes, n);
    Arguments.requireInside("level", level);
  }
}
