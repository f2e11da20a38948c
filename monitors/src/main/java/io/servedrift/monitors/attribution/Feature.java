package io.servedrift.monitors.attribution;

import org.jspecify.annotations.Nullable;

/**
 * A set of requests that may have moved on its own.
 *
 * @param covariate label of the covariate, {@code all} for every request
 * @param level the level or cut, as shown in {@code where}
 * @param cause what its shift is charged to; every request or a class of requests: {@link
 *     Cause#UNEXPLAINED} until the clean path and the record of changes say more
 * @param prior its share of the prior of one-cause models, before normalisation
 * @param within the set that it is the part of, when only requests in both moved; null for none
 */
record Feature(
    String covariate, String level, Cause cause, double prior, @Nullable Feature within) {
  static final String ALL = "all";

  private static final double NEARLY_ALL = .9;

  /** A set of its own. */
  Feature(String covariate, String level, Cause cause, double prior) {
    this(covariate, level, cause, prior, null);
  }

  /**
   * What nearly every request is in can hardly be told from every request, and is seldom the place:
   * the prior falls to nothing from a share of .9 to 1.
   */
  Feature discounted(double share) {
    boolean kept = everything() || share <= NEARLY_ALL;
    double left = kept ? 1 : Math.max(1e-3, (1 - share) / (1 - NEARLY_ALL));
    return new Feature(covariate, level, cause, prior * left, within);
  }

  boolean everything() {
    return covariate.equals(ALL);
  }
}
