package io.servedrift.monitors.demo;

import java.util.SplittableRandom;

/** Random variation of simulated quantities. */
final class Noise {
  private Noise() {}

  /** A duration of about {@code micros}: lognormal with 6 % spread, at least one microsecond. */
  static long around(double micros, SplittableRandom random) {
    return Math.max(1, Math.round(micros * StrictMath.exp(0.06 * gaussian(random))));
  }

  /** Exponential with this mean. */
  static double exponential(double mean, SplittableRandom random) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  /** Standard normal, the same on every Java runtime. */
  static double gaussian(SplittableRandom random) {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
  }
}
