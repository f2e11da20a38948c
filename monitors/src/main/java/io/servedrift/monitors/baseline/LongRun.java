package io.servedrift.monitors.baseline;

import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;

/**
 * How much more sums over long windows vary than independent panes would: the highest ratio over
 * windows of 1 minute to 12 hours. Autocorrelation and overdispersion are both in it.
 */
final class LongRun {
  private static final int[] HORIZON_MINUTES = {1, 15, 60, 240, 720};
  private static final int LEAST_WINDOWS = 10;

  /** On the excess over 1: a week does not contain the worst burst of a month. */
  private static final double SAFETY = 1.5;

  private LongRun() {}

  private static int window(int minutes, double paneMinutes) {
    return (int) Math.max(1, Math.floor(minutes / paneMinutes));
  }

  private static double withSafety(double highest) {
    return 1 + SAFETY * (highest - 1);
  }

  /**
   * kappa: mean over windows of (sum of z)^2 / number of z.
   *
   * @param panes length of the grid
   * @param present whether there is a z at a pane
   */
  static double ofMeans(
      int panes, IntPredicate present, IntToDoubleFunction z, double paneMinutes) {
    double highest = 1;
    for (int minutes : HORIZON_MINUTES) {
      int window = window(minutes, paneMinutes);
      int windows = panes / window;
      int used = 0;
      double total = 0;
      for (int w = 0; w < windows; w++) {
        double sum = 0;
        int count = 0;
        for (int at = w * window; at < (w + 1) * window; at++) {
          if (present.test(at)) {
            sum += z.applyAsDouble(at);
            count++;
          }
        }
        if (count > 0) {
          total += sum * sum / count;
          used++;
        }
      }
      if (windows >= LEAST_WINDOWS && used >= LEAST_WINDOWS) {
        highest = Math.max(highest, total / used);
      }
    }
    return withSafety(highest);
  }

  /** phi of counts: sum over windows of (observed - expected)^2 over the sum of expected. */
  static double ofCounts(double[] excess, double[] expected, double paneMinutes) {
    double highest = 1;
    for (int minutes : HORIZON_MINUTES) {
      int window = window(minutes, paneMinutes);
      int windows = excess.length / window;
      if (windows < LEAST_WINDOWS) {
        continue;
      }
      double total = total(expected, windows * window);
      if (total > 0) {
        highest = Math.max(highest, squares(excess, window, windows) / total);
      }
    }
    return withSafety(highest);
  }

  /** phi of shares: sum over windows of (observed - expected)^2 over the binomial variance. */
  static double ofShares(double[] excess, double[] variance, double paneMinutes) {
    double highest = 1;
    double total = Math.max(1e-9, total(variance, variance.length));
    for (int minutes : HORIZON_MINUTES) {
      int window = window(minutes, paneMinutes);
      highest = Math.max(highest, squares(excess, window, excess.length / window) / total);
    }
    return highest;
  }

  private static double total(double[] values, int to) {
    double total = 0;
    for (int at = 0; at < to; at++) {
      total += values[at];
    }
    return total;
  }

  private static double squares(double[] excess, int window, int windows) {
    double squares = 0;
    for (int w = 0; w < windows; w++) {
      double sum = 0;
      for (int at = w * window; at < (w + 1) * window; at++) {
        sum += excess[at];
      }
      squares += sum * sum;
    }
    return squares;
  }
}
