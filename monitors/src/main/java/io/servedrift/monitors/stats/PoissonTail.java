package io.servedrift.monitors.stats;

/** Upper tail of the Poisson law: is this many more than chance? Pure function. */
public final class PoissonTail {
  private PoissonTail() {}

  /**
   * P(N &gt;= k), N ~ Poisson(mu). Summed from the side on which the terms fall.
   *
   * @param k count, 0 or more
   * @param mu expected count, above 0
   */
  public static double atLeast(long k, double mu) {
    Arguments.requireAtLeast("k", k, 0L);
    Arguments.requireAbove("mu", mu, 0);
    if (k == 0) {
      return 1;
    }
    return k > mu ? Math.min(1, upwards(k, mu)) : Math.max(0, 1 - downwards(k - 1, mu));
  }

  private static double upwards(long k, double mu) {
    double term = 1;
    double sum = 1;
    for (double i = k + 1.0; term > sum * 1e-17; i++) {
      term *= mu / i;
      sum += term;
    }
    return probability(k, mu) * sum;
  }

  private static double downwards(long k, double mu) {
    double term = 1;
    double sum = 1;
    for (double i = (double) k; i > 0 && term > sum * 1e-17; i--) {
      term *= i / mu;
      sum += term;
    }
    return probability(k, mu) * sum;
  }

  private static double probability(long k, double mu) {
    return StrictMath.exp(k * StrictMath.log(mu) - mu - LogGamma.of(k + 1.0));
  }
}
