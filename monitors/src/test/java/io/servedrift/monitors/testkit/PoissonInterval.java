package io.servedrift.monitors.testkit;

import io.servedrift.monitors.stats.Interval;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * Exact interval for a rate of rare events: Garwood, "Fiducial limits for the Poisson
 * distribution", Biometrika 1936: half the chi-squared quantiles with 2k and 2k + 2 degrees of
 * freedom.
 */
final class PoissonInterval {
  private PoissonInterval() {}

  /**
   * @param events counted, at least 0
   * @param exposure in the unit of the rate, above 0
   * @param level confidence, in (0, 1)
   */
  static Interval rate(long events, double exposure, double level) {
    if (events < 0 || !(exposure > 0)) {
      throw new IllegalArgumentException(
          "events=" + events + " exposure=" + exposure + ": must be at least 0 and above 0");
    }
    double tail = (1 - level) / 2;
    double lower =
        events == 0
            ? 0
            : ChiSquaredDistribution.of(2.0 * events).inverseCumulativeProbability(tail) / 2;
    double upper =
        ChiSquaredDistribution.of(2.0 * events + 2).inverseCumulativeProbability(1 - tail) / 2;
    return new Interval(lower / exposure, upper / exposure);
  }
}
