package io.servedrift.monitors.baseline;

import io.servedrift.monitors.stats.LongRunVariance;
import java.util.Arrays;

/**
 * How much more sums over long windows vary than independent panes would, over windows of 1 minute
 * to 12 hours, by {@link LongRunVariance}.
 *
 * <p>A reference shorter than a day has few long windows, so shorter ones are added and fewer of
 * each suffice: a rough idea of how slowly a series wanders is better than none. As residuals are
 * taken from the mean of the same reference, windows of a share s of it vary by 1 - s of what they
 * should, and that is given back.
 */
final class LongRun {
  private static final int[] HORIZON_MINUTES = {1, 15, 60, 240, 720};
  private static final int[] YOUNG_MINUTES = {3, 5, 10, 30};
  private static final int YOUNG_WINDOWS = 4;
  private static final int YOUNG_LIMIT_MINUTES = 1440;

  private final double paneMinutes;
  private final int[] horizons;

  LongRun(double paneMinutes) {
    this.paneMinutes = paneMinutes;
    horizons = Arrays.stream(HORIZON_MINUTES).map(this::panes).toArray();
  }

  private int panes(int minutes) {
    return (int) Math.max(1, Math.floor(minutes / paneMinutes));
  }

  /**
   * kappa of means.
   *
   * @param z standardised residuals on the grid of panes, NaN where there is none
   */
  double ofMeans(double[] z) {
    double inflation = LongRunVariance.inflationOfMeans(z, horizons);
    for (int horizon : youngHorizons(z.length)) {
      inflation =
          Math.max(inflation, young(LongRunVariance.ofMeans(z, horizon), horizon, z.length));
    }
    return inflation;
  }

  /** phi of counts, observed and expected on the grid of panes. */
  double ofCounts(double[] observed, double[] expected) {
    double inflation = LongRunVariance.inflationOfCounts(observed, expected, horizons);
    for (int horizon : youngHorizons(observed.length)) {
      inflation =
          Math.max(
              inflation,
              young(
                  LongRunVariance.ofCounts(observed, expected, horizon), horizon, observed.length));
    }
    return inflation;
  }

  private int[] youngHorizons(int length) {
    if (length * paneMinutes >= YOUNG_LIMIT_MINUTES) {
      return new int[0];
    }
    return Arrays.stream(new int[][] {HORIZON_MINUTES, YOUNG_MINUTES})
        .flatMapToInt(Arrays::stream)
        .map(this::panes)
        .filter(horizon -> length / horizon >= YOUNG_WINDOWS)
        .toArray();
  }

  private static double young(double variance, int horizon, int length) {
    double whole = variance / (1 - (double) horizon / length);
    // A comparison with NaN is false: windows without a value have no say.
    return whole > 1 ? LongRunVariance.inflated(whole) : 1;
  }

  /** phi of shares: squared sums over windows over the binomial variance. */
  double ofShares(double[] excess, double[] variance) {
    double highest = 1;
    double total = Math.max(1e-9, Arrays.stream(variance).sum());
    for (int horizon : horizons) {
      double squares = 0;
      for (int window = 0; window < excess.length / horizon; window++) {
        double sum = 0;
        for (int at = window * horizon; at < (window + 1) * horizon; at++) {
          sum += excess[at];
        }
        squares += sum * sum;
      }
      highest = Math.max(highest, squares / total);
    }
    return highest;
  }
}
