package io.servedrift.monitors.stats;

/**
 * Quantiles in a form that adds up over cells: the recentred influence function RIF(y) = Q + (q -
 * 1{y &lt;= Q}) / f(Q) has the quantile as its mean, so a shift of a quantile decomposes like a
 * shift of a mean. First order only. Firpo, Fortin &amp; Lemieux, Econometrica 77 (2009). Pure
 * functions.
 */
public final class RecentredInfluence {
  private RecentredInfluence() {}

  /**
   * RIF of one value.
   *
   * @param y the value
   * @param q which quantile, inside (0, 1)
   * @param quantile Q, in the unit of y
   * @param density f(Q), per unit of y, above 0
   */
  public static double of(double y, double q, double quantile, double density) {
    check(q, density);
    return quantile + (q - (y <= quantile ? 1 : 0)) / density;
  }

  /**
   * By how much the quantile moves when the share beyond it changes: (p_W - p_R) / f(Q).
   *
   * @param beyondReference p_R, share above Q in the reference
   * @param beyondWindow p_W, share above Q in the window
   * @param density f(Q), above 0
   */
  public static double shift(double beyondReference, double beyondWindow, double density) {
    Arguments.requireProbability("beyondReference", beyondReference);
    Arguments.requireProbability("beyondWindow", beyondWindow);
    Arguments.requireAbove("density", density, 0);
    return (beyondWindow - beyondReference) / density;
  }

  /**
   * Standard error of a sample quantile, sqrt(q (1 - q) / n) / f(Q): that of the mean of the RIF.
   *
   * @param q inside (0, 1)
   * @param n effective number of values, above 0
   * @param density f(Q), above 0
   */
  public static double standardError(double q, double n, double density) {
    check(q, density);
    Arguments.requireAbove("n", n, 0);
    return Math.sqrt(q * (1 - q) / n) / density;
  }

  private static void check(double q, double density) {
    Arguments.requireInside("q", q);
    Arguments.requireAbove("density", density, 0);
  }
}
