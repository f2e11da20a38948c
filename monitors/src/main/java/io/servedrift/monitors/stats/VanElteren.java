package io.servedrift.monitors.stats;

/**
 * Values of window and reference compared by ranks within strata: sum over strata of (rank sum of
 * the window less its expectation) / (N + 1), divided by its standard deviation. Values come as
 * counts in ordered bins; those in one bin are tied, get their mid-rank, and the variance is
 * corrected for it. With one stratum it is the test of Mann and Whitney without continuity
 * correction. van Elteren (1960). It supposes independent requests: its p-value is shown, never
 * used to alarm. Pure function.
 */
public final class VanElteren {
  private VanElteren() {}

  /**
   * z, above 0 when the window has the larger values; 0 when no stratum can say anything.
   *
   * @param window for each stratum, counts by bin in ascending order, 0 or more
   * @param reference the same strata and bins
   */
  public static ZScore of(long[][] window, long[][] reference) {
    Arguments.requireSameLength("window", window.length, "reference", reference.length);
    double sum = 0;
    double variance = 0;
    for (int stratum = 0; stratum < window.length; stratum++) {
      long[] x = window[stratum];
      long[] y = reference[stratum];
      Arguments.requireSameLength("bins of window", x.length, "reference", y.length);
      double nx = 0;
      double below = 0;
      double ranks = 0;
      double ties = 0;
      for (int bin = 0; bin < x.length; bin++) {
        Arguments.requireAtLeast("count", Math.min(x[bin], y[bin]), 0L);
        double tied = (double) x[bin] + y[bin];
        ranks += x[bin] * (below + (tied + 1) / 2);
        ties += tied * tied * tied - tied;
        nx += x[bin];
        below += tied;
      }
      double n = below;
      double ny = n - nx;
      if (nx > 0 && ny > 0) {
        double weight = 1 / (n + 1);
        sum += weight * (ranks - nx * (n + 1) / 2);
        variance += weight * weight * nx * ny / 12 * (n + 1 - ties / (n * (n - 1)));
      }
    }
    return new ZScore(variance > 0 ? sum / Math.sqrt(variance) : 0);
  }
}
