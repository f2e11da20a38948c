package io.servedrift.monitors.stats;

/**
 * Log e-factor of a standardised mean: l = lambda (Z - d_floor - d_ref) - lambda^2 kappa / 2 with
 * lambda = g / sqrt(kappa). exp(l) is an e-factor when Z is normal, or sub-Gaussian, with long-run
 * variance at most kappa and mean at most d_floor + d_ref. For a fall of the mean pass -Z. Pure
 * functions.
 */
public final class GaussianFactor {
  private static final double Z95 = 1.645;

  private GaussianFactor() {}

  /**
   * Evidence in nats that the mean is above what is tolerated.
   *
   * @param z (observed - expected) / standard error, finite
   * @param floor d_floor: smallest shift that matters, in standard errors, 0 or more
   * @param reference d_ref: uncertainty of the baseline, {@link #baselineMargin}, 0 or more
   * @param g the bet, about the shift looked for in units of sqrt(kappa); above 0
   * @param kappa long-run variance of z, {@link LongRunVariance#inflationOfMeans}; above 0
   */
  public static double logFactor(double z, double floor, double reference, double g, double kappa) {
    Arguments.requireFinite("z", z);
    Arguments.requireAtLeast("floor", floor, 0.0);
    Arguments.requireAtLeast("reference", reference, 0.0);
    Arguments.requireAbove("g", g, 0);
    Arguments.requireAbove("kappa", kappa, 0);
    double lambda = g / Math.sqrt(kappa);
    return lambda * (z - floor - reference) - lambda * lambda * kappa / 2;
  }

  /**
   * d_ref = 1.645 sqrt(kappa / updates): how far the mean of the baseline may be off, with 95 %
   * confidence, in standard errors of one update.
   *
   * @param kappa long-run variance, above 0
   * @param updates number of updates in the baseline, at least 1
   */
  public static double baselineMargin(double kappa, long updates) {
    Arguments.requireAbove("kappa", kappa, 0);
    Arguments.requireAtLeast("updates", updates, 1L);
    return Z95 * Math.sqrt(kappa / updates);
  }
}
