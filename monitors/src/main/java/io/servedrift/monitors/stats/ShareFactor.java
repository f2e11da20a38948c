package io.servedrift.monitors.stats;

/**
 * Log e-factor of a share: of the K_A + K_B events in two strata, do too many fall into A? A factor
 * that is common to both, such as a burst, cancels.
 *
 * <p>Given their sum, K_A is binomial with p0 from the odds E_A (1 + floor) up / E_B, and l = [K_A
 * ln c - (K_A + K_B) ln(1 + p0 (c - 1))] / phi has E[exp(l)] &lt;= 1 for every p &lt;= p0 and phi
 * &gt;= 1. For too few in A, swap the strata. Pure functions.
 */
public final class ShareFactor {
  private static final double Z95 = 1.645;

  private ShareFactor() {}

  /**
   * Evidence in nats that the share of A is above {@link #tolerated}.
   *
   * @param observedA K_A, 0 or more
   * @param observedB K_B, 0 or more
   * @param tolerated p0 inside [0, 1]
   * @param c the bet: odds times c; above 1
   * @param phi overdispersion, 1 or more
   */
  public static double logFactor(
      long observedA, long observedB, double tolerated, double c, double phi) {
    Arguments.requireAtLeast("observedA", observedA, 0L);
    Arguments.requireAtLeast("observedB", observedB, 0L);
    Arguments.requireProbability("tolerated", tolerated);
    Arguments.requireAbove("c", c, 1);
    Arguments.requireAtLeast("phi", phi, 1.0);
    return (observedA * StrictMath.log(c)
            - (observedA + observedB) * StrictMath.log1p(tolerated * (c - 1)))
        / phi;
  }

  /**
   * p0: the largest share of A that counts as unchanged.
   *
   * @param expectedA E_A, 0 or more
   * @param expectedB E_B, 0 or more; not both 0
   * @param floor smallest relative shift of the odds that matters, 0 or more
   * @param up uncertainty of the baseline, {@link #baselineFactor}; 1 or more
   */
  public static double tolerated(double expectedA, double expectedB, double floor, double up) {
    Arguments.requireAtLeast("expectedA", expectedA, 0.0);
    Arguments.requireAtLeast("expectedB", expectedB, 0.0);
    Arguments.requireAbove("expectedA + expectedB", expectedA + expectedB, 0);
    Arguments.requireAtLeast("floor", floor, 0.0);
    Arguments.requireAtLeast("up", up, 1.0);
    double raised = expectedA * (1 + floor) * up;
    return raised / (raised + expectedB);
  }

  /**
   * up = 1 + 1.645 sqrt(1/n_A + 1/n_B): how far the odds of the baseline may be off, with 95 %
   * confidence.
   *
   * @param baselineA count in A that the baseline rests on, above 0
   * @param baselineB the same in B
   */
  public static double baselineFactor(double baselineA, double baselineB) {
    Arguments.requireAbove("baselineA", baselineA, 0);
    Arguments.requireAbove("baselineB", baselineB, 0);
    return 1 + Z95 * Math.sqrt(1 / baselineA + 1 / baselineB);
  }
}
