package io.servedrift.monitors.attribution;

import java.util.List;

/**
 * A reference and a window, traffic class by traffic class. A class of which the reference has
 * fewer than {@link VerdictRules#KNOWN_CELL} requests counts as the window has it: that it came is
 * a matter of the mix. Immutable.
 *
 * @param names of the classes, by whose index both sides count
 */
record ClassSides(List<String> names, ClassSums before, ClassSums now) {
  boolean known(int key) {
    return before.n[key] >= VerdictRules.KNOWN_CELL;
  }

  /** Mean of a class that is expected: the reference's, where it is known. */
  private double expected(int key) {
    return known(key) ? before.s[key] / before.n[key] : now.s[key] / Math.max(1, now.n[key]);
  }

  /** Mean of the window's classes with the reference's values. */
  double mixed() {
    double sum = 0;
    for (int key = 0; key < names.size(); key++) {
      sum += now.n[key] * expected(key);
    }
    return sum / now.requests;
  }

  /**
   * Variance of {@link #mixed} less the mean of the reference, by the delta method over blocks of
   * time (Kish 1965).
   */
  double compositionVariance() {
    double mixed = mixed();
    double mean = before.sum / before.requests;
    return now.variance(block -> expectedIn(block) - mixed * now.blockN[block])
        + before.variance(
            block -> weighted(block) - (before.blockS[block] - mean * before.blockN[block]));
  }

  /** Variance of the mean of the window less {@link #mixed}, likewise. */
  double withinVariance() {
    double within = now.sum / now.requests - mixed();
    return now.variance(block -> now.blockS[block] - expectedIn(block) - within * now.blockN[block])
        + before.variance(this::weighted);
  }

  private double expectedIn(int block) {
    double sum = 0;
    for (int key = 0; key < names.size(); key++) {
      sum += known(key) ? now.n(key, block) * expected(key) : now.s(key, block);
    }
    return sum;
  }

  /** Residuals of a block of the reference from the means of its classes, in the window's mix. */
  private double weighted(int block) {
    double sum = 0;
    for (int key = 0; key < names.size(); key++) {
      if (known(key)) {
        double residual = before.s(key, block) - expected(key) * before.n(key, block);
        sum += now.n[key] / now.requests * residual * before.requests / before.n[key];
      }
    }
    return sum;
  }
}
