package io.servedrift.monitors.stats;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * A statistic that is standard normal under its hypothesis, with its p-values.
 *
 * @param z finite or infinite, not NaN
 */
public record ZScore(double z) {
  private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

  /** Checks the value. */
  public ZScore {
    if (Double.isNaN(z)) {
      throw new IllegalArgumentException("z=NaN: must be a number");
    }
  }

  /** P(Z &lt;= z): small when z is far below 0. */
  public double lower() {
    return NORMAL.cumulativeProbability(z);
  }

  /** P(Z &gt; z): small when z is far above 0. */
  public double upper() {
    return NORMAL.survivalProbability(z);
  }

  /** P(|Z| &gt;= |z|). */
  public double twoSided() {
    return 2 * NORMAL.survivalProbability(Math.abs(z));
  }
}
