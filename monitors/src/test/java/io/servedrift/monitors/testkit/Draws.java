package io.servedrift.monitors.testkit;

import java.util.random.RandomGenerator;

/** Draws that the JDK's generators do not offer. Same generator state, same value, anywhere. */
final class Draws {
  /** Above this mean a Poisson draw is a sum, because exp(-mean) loses its digits. */
  private static final double CHUNK = 16;

  private Draws() {}

  /**
   * A Poisson count by inversion, in chunks.
   *
   * @param mean at least 0
   */
  static int poisson(RandomGenerator random, double mean) {
    int sum = 0;
    double rest = mean;
    while (rest > CHUNK) {
      sum += invert(random.nextDouble(), CHUNK);
      rest -= CHUNK;
    }
    return sum + invert(random.nextDouble(), rest);
  }

  private static int invert(double u, double mean) {
    double p = StrictMath.exp(-mean);
    double cumulative = p;
    int k = 0;
    while (u >= cumulative && p > 0) {
      k++;
      p *= mean / k;
      cumulative += p;
    }
    return k;
  }

  /** The first index whose cumulative probability exceeds u, the last one at the latest. */
  static int index(double[] cumulative, double u) {
    int i = 0;
    while (i < cumulative.length - 1 && u >= cumulative[i]) {
      i++;
    }
    return i;
  }

  /** Cumulative probabilities of weights. */
  static double[] cumulative(double... weights) {
    double[] cumulative = new double[weights.length];
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      cumulative[i] = sum;
    }
    for (int i = 0; i < weights.length; i++) {
      cumulative[i] /= sum;
    }
    return cumulative;
  }
}
