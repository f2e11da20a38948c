package io.servedrift.monitors.testkit;

import java.util.Arrays;

/**
 * Distances of a window of values from a reference sample, as the window-wise peers compute them.
 * Immutable; thread-safe.
 */
final class WindowDistance {
  private static final int BINS = 10;

  /** A share that is nothing would make the index infinite; the folklore puts this in its place. */
  private static final double LEAST_SHARE = 1e-4;

  private final double[] reference;
  private final double sd;
  private final double[] deciles = new double[BINS - 1];

  /**
   * @param sample the reference, at least 10 values in any order
   */
  WindowDistance(double[] sample) {
    if (sample.length < BINS) {
      throw new IllegalArgumentException(
          sample.length + " reference values: at least " + BINS + " are needed");
    }
    reference = sample.clone();
    Arrays.sort(reference);
    double mean = 0;
    for (double x : reference) {
      mean += x / reference.length;
    }
    double squares = 0;
    for (double x : reference) {
      squares += (x - mean) * (x - mean);
    }
    sd = Math.sqrt(squares / reference.length);
    for (int i = 1; i < BINS; i++) {
      double at = i * (reference.length - 1.0) / BINS;
      int below = (int) at;
      double high = reference[Math.min(below + 1, reference.length - 1)];
      deciles[i - 1] = reference[below] + (at - below) * (high - reference[below]);
    }
  }

  /** Kolmogorov-Smirnov statistic: the largest gap between the distribution functions. */
  double ksStatistic(double[] sortedWindow) {
    double gap = 0;
    int i = 0;
    int j = 0;
    while (i < reference.length && j < sortedWindow.length) {
      double x = Math.min(reference[i], sortedWindow[j]);
      while (i < reference.length && reference[i] <= x) {
        i++;
      }
      while (j < sortedWindow.length && sortedWindow[j] <= x) {
        j++;
      }
      gap =
          Math.max(gap, Math.abs(i / (double) reference.length - j / (double) sortedWindow.length));
    }
    return gap;
  }

  /** P value of the two-sample Kolmogorov-Smirnov test by Kolmogorov's limit law. */
  double ksPValue(double[] sortedWindow) {
    double n = reference.length;
    double m = sortedWindow.length;
    return kolmogorovTail(ksStatistic(sortedWindow) * Math.sqrt(n * m / (n + m)));
  }

  /** P(K > x) = 2 sum (-1)^(k-1) exp(-2 k^2 x^2); below 0.2 the series is 1 to 12 digits. */
  static double kolmogorovTail(double x) {
    if (x < 0.2) {
      return 1;
    }
    double sum = 0;
    for (int k = 1; k <= 100; k++) {
      double term = StrictMath.exp(-2.0 * k * k * x * x);
      sum += k % 2 == 1 ? term : -term;
      if (term < 1e-17) {
        break;
      }
    }
    return Math.min(1, Math.max(0, 2 * sum));
  }

  /** Wasserstein-1 distance in standard deviations of the reference. */
  double wasserstein(double[] sortedWindow) {
    double area = 0;
    int i = 0;
    int j = 0;
    double previous = Math.min(reference[0], sortedWindow[0]);
    while (i < reference.length || j < sortedWindow.length) {
      double x =
          i == reference.length
              ? sortedWindow[j]
              : j == sortedWindow.length ? reference[i] : Math.min(reference[i], sortedWindow[j]);
      double gap = i / (double) reference.length - j / (double) sortedWindow.length;
      area += Math.abs(gap) * (x - previous);
      previous = x;
      while (i < reference.length && reference[i] <= x) {
        i++;
      }
      while (j < sortedWindow.length && sortedWindow[j] <= x) {
        j++;
      }
    }
    return area / sd;
  }

  /** Population stability index over the reference's deciles. */
  double psi(double[] sortedWindow) {
    double index = 0;
    int from = 0;
    for (int bin = 0; bin < BINS; bin++) {
      int to = bin == BINS - 1 ? sortedWindow.length : firstAtLeast(sortedWindow, deciles[bin]);
      double share = Math.max(LEAST_SHARE, (to - from) / (double) sortedWindow.length);
      double expected = 1.0 / BINS;
      index += (share - expected) * StrictMath.log(share / expected);
      from = to;
    }
    return index;
  }

  private static int firstAtLeast(double[] sorted, double limit) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
