package io.servedrift.monitors.stats;

/**
 * How much more a series varies over minutes and hours than independent values would: the factor by
 * which evidence must be discounted. For each horizon H the series is cut into disjoint windows of
 * H entries from its start, the incomplete rest is left out. 1.5 times the largest excess over 1 is
 * used, because a baseline of a week does not hold the worst burst of a month. Pure functions.
 */
public final class LongRunVariance {
  private static final double SAFETY = 1.5;

  /** With fewer windows than this, a horizon says nothing. */
  private static final int FEWEST_WINDOWS = 10;

  private LongRunVariance() {}

  /**
   * V_H = mean over windows of (sum z)^2 / number of z: 1 for independent values of variance 1.
   *
   * @param z standardised values in the order of time; NaN where there was no update
   * @param horizon H, entries in a window, at least 1
   * @return NaN when no window has a value
   */
  public static double ofMeans(double[] z, int horizon) {
    return overWindows(z, horizon, 1);
  }

  /**
   * kappa = 1 + 1.5 (max_H V_H - 1)^+, over the horizons with ten windows or more that have a
   * value.
   *
   * @param z as for {@link #ofMeans}
   * @param horizons each at least 1
   * @return 1 or more
   */
  public static double inflationOfMeans(double[] z, int... horizons) {
    double largest = 1;
    for (int horizon : horizons) {
      double variance = overWindows(z, horizon, FEWEST_WINDOWS);
      // A comparison with NaN is false: a horizon without enough windows has no say.
      if (variance > largest) {
        largest = variance;
      }
    }
    return inflated(largest);
  }

  /**
   * Overdispersion of counts at a horizon: sum (K_H - E_H)^2 / sum E_H.
   *
   * @param observed K, counts in the order of time
   * @param expected E, as many, not negative
   * @param horizon H, entries in a window, at least 1
   * @return NaN when nothing is expected
   */
  public static double ofCounts(double[] observed, double[] expected, int horizon) {
    Arguments.requireSameLength("observed", observed.length, "expected", expected.length);
    Arguments.requireAtLeast("horizon", (long) horizon, 1L);
    double squares = 0;
    double total = 0;
    for (int window = 0; window < observed.length / horizon; window++) {
      double difference = 0;
      for (int i = window * horizon; i < (window + 1) * horizon; i++) {
        difference += observed[i] - expected[i];
        total += expected[i];
      }
      squares += difference * difference;
    }
    return total > 0 ? squares / total : Double.NaN;
  }

  /**
   * phi = 1 + 1.5 (max_H sum (K_H - E_H)^2 / sum E_H - 1)^+, over the horizons with ten windows or
   * more; arguments as for {@link #ofCounts}.
   *
   * @return 1 or more
   */
  public static double inflationOfCounts(double[] observed, double[] expected, int... horizons) {
    double largest = 1;
    for (int horizon : horizons) {
      double dispersion = ofCounts(observed, expected, horizon);
      if (observed.length / horizon >= FEWEST_WINDOWS && dispersion > largest) {
        largest = dispersion;
      }
    }
    return inflated(largest);
  }

  /**
   * The factor for a ratio of variances that was found: 1.5 times its excess over 1.
   *
   * @param largest ratio, at least 1
   */
  public static double inflated(double largest) {
    Arguments.requireAtLeast("largest", largest, 1.0);
    return 1 + SAFETY * (largest - 1);
  }

  private static double overWindows(double[] z, int horizon, int fewest) {
    Arguments.requireAtLeast("horizon", (long) horizon, 1L);
    double total = 0;
    int windows = 0;
    for (int window = 0; window < z.length / horizon; window++) {
      double sum = 0;
      int values = 0;
      for (int i = window * horizon; i < (window + 1) * horizon; i++) {
        if (!Double.isNaN(z[i])) {
          sum += z[i];
          values++;
        }
      }
      if (values > 0) {
        total += sum * sum / values;
        windows++;
      }
    }
    return windows >= fewest ? total / windows : Double.NaN;
  }
}
