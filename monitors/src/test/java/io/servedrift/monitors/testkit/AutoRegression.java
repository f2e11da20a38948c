package io.servedrift.monitors.testkit;

import java.util.random.RandomGenerator;

/**
 * A stationary Gaussian AR(1) process: x[t] = rho x[t-1] + e[t], with the standard deviation of x
 * given. Not thread-safe.
 */
final class AutoRegression {
  private final double rho;
  private final double sd;
  private final double innovation;
  private final RandomGenerator random;
  private double value;
  private boolean started;

  /**
   * @param rho correlation of neighbours, in [0, 1)
   * @param sd standard deviation of the process
   */
  AutoRegression(double rho, double sd, RandomGenerator random) {
    this.rho = rho;
    this.sd = sd;
    this.innovation = sd * Math.sqrt(1 - rho * rho);
    this.random = random;
  }

  /** The next value. */
  double next() {
    double e = random.nextGaussian();
    value = started ? rho * value + innovation * e : sd * e;
    started = true;
    return value;
  }
}
