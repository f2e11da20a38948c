package io.servedrift.monitors.stats;

/**
 * Log e-factor of a count against what is expected of it (observed against expected, O/E), for
 * counts of requests beyond a threshold, of errors, of invalid outputs.
 *
 * <p>More than expected: l = [K ln c - (c - 1) E (1 + floor) up] / phi. For independent requests
 * with probabilities p_i, E[c^K] = prod(1 + p_i (c - 1)) &lt;= exp((c - 1) sum p_i), so exp(l) is
 * an e-factor whenever sum p_i &lt;= E (1 + floor) up, whatever the single p_i are. Division by phi
 * &gt;= 1 keeps that (Jensen) and holds also for exceedances in clumps of phi. Fewer than expected
 * is the same with 1/c for c and the tolerance taken off instead of added. Pure functions.
 */
public final class OeCountFactor {
  /** Standard normal quantile of 95 %, for the uncertainty of the baseline. */
  private static final double Z95 = 1.645;

  private OeCountFactor() {}

  /**
   * Evidence in nats that more happens than expected.
   *
   * @param observed K, the count
   * @param expected E, what the baseline expects of the same requests; 0 or more
   * @param c the bet: rate times c; above 1
   * @param floor smallest relative shift that matters, 0 or more
   * @param up uncertainty of the baseline as a factor, {@link #baselineFactor}; 1 or more
   * @param phi overdispersion, {@link LongRunVariance#inflationOfCounts}; 1 or more
   */
  public static double more(
      long observed, double expected, double c, double floor, double up, double phi) {
    check(observed, expected, c, floor, up, phi);
    return (observed * StrictMath.log(c) - (c - 1) * expected * (1 + floor) * up) / phi;
  }

  /** Evidence in nats that less happens than expected: rate divided by c; arguments as above. */
  public static double fewer(
      long observed, double expected, double c, double floor, double up, double phi) {
    check(observed, expected, c, floor, up, phi);
    return (-observed * StrictMath.log(c) + (1 - 1 / c) * expected / ((1 + floor) * up)) / phi;
  }

  /**
   * up = 1 + 1.645 sqrt(phi / sum E): the factor by which the expected counts may be too small,
   * with 95 % confidence.
   *
   * @param phi overdispersion, 1 or more
   * @param baselineCount the count the baseline rests on, above 0
   */
  public static double baselineFactor(double phi, double baselineCount) {
    Arguments.requireAtLeast("phi", phi, 1.0);
    Arguments.requireAbove("baselineCount", baselineCount, 0);
    return 1 + Z95 * Math.sqrt(phi / baselineCount);
  }

  private static void check(
      long observed, double expected, double c, double floor, double up, double phi) {
    Arguments.requireAtLeast("observed", observed, 0L);
    Arguments.requireAtLeast("expected", expected, 0.0);
    Arguments.requireAbove("c", c, 1);
    Arguments.requireAtLeast("floor", floor, 0.0);
    Arguments.requireAtLeast("up", up, 1.0);
    Arguments.requireAtLeast("phi", phi, 1.0);
  }
}
