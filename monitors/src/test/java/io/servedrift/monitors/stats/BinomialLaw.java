package io.servedrift.monitors.stats;

import java.util.Arrays;

/** Exact law of the number of successes in independent trials, by convolution. */
final class BinomialLaw {
  private BinomialLaw() {}

  /** Probability of 0, 1, ... successes in trials of different probability. */
  static double[] of(double[] probabilities) {
    double[] law = new double[probabilities.length + 1];
    law[0] = 1;
    for (int i = 0; i < probabilities.length; i++) {
      for (int k = i + 1; k >= 0; k--) {
        law[k] = law[k] * (1 - probabilities[i]) + (k > 0 ? law[k - 1] * probabilities[i] : 0);
      }
    }
    return law;
  }

  /** Probability of 0, 1, ..., n successes in n trials. */
  static double[] of(int n, double p) {
    double[] probabilities = new double[n];
    Arrays.fill(probabilities, p);
    return of(probabilities);
  }
}
