package io.servedrift.monitors.attribution;

/**
 * A set of requests that may have moved on its own.
 *
 * @param covariate label of the covariate, {@code all} for every request
 * @param level the level or cut, as shown in {@code where}
 * @param cause what its shift is charged to; every request or a class of requests: {@link
 *     Cause#UNEXPLAINED} until the clean path and the record of changes say more
 * @param prior its share of the prior of one-cause models, before normalisation
 * @param crossed whether co-occurrence with other features is known, so that two-cause models may
 *     hold it
 */
record Feature(String covariate, String level, Cause cause, double prior, boolean crossed) {
  static final String ALL = "all";

  boolean everything() {
    return covariate.equals(ALL);
  }
}
