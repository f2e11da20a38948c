package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;

/**
 * Requests whose batch stayed as it was while they ran, where most others were joined: the clean
 * path, small batches and cache misses, then consists of joined requests, and only these tell
 * whether a shift needs no other requests to come. Immutable.
 *
 * @param requests their number in the window
 * @param relative how much further they moved than all requests did, in the unit of the metric
 * @param standardError of {@code relative}
 * @param all how far all requests moved, where margins are looked at by another threshold than
 *     cells; NaN where not
 */
record UnchangedBatch(double requests, double relative, double standardError, double all) {
  private static final double Z95 = 1.959963984540054;

  private static final double LEAST_REQUESTS = 30;

  /** Standard errors by which they must have moved, or stayed behind the rest. */
  private static final double SURELY = 2;

  /**
   * Whether they moved as the rest did.
   *
   * @param within mean shift of all like requests
   */
  boolean moved(double within) {
    double base = base(within);
    double along = shift(within) * Math.signum(base);
    return requests >= LEAST_REQUESTS
        && along > SURELY * standardError
        && along >= .5 * Math.abs(base);
  }

  /**
   * Whether they surely stayed behind the rest.
   *
   * @param within mean shift of all like requests
   */
  boolean stayedBehind(double within) {
    return requests >= LEAST_REQUESTS
        && -relative * Math.signum(base(within)) > SURELY * standardError;
  }

  private double base(double within) {
    return Double.isNaN(all) ? within : all;
  }

  /** How far they moved themselves. */
  private double shift(double within) {
    return base(within) + relative;
  }

  /** Further requests without which nothing can be said. */
  long missing() {
    return Math.max(0, Math.round(LEAST_REQUESTS - requests));
  }

  /** In words. */
  String text(double within) {
    double shift = shift(within);
    double half = Z95 * standardError;
    return requests < LEAST_REQUESTS
        ? Math.round(requests) + " whose batch did not change say nothing"
        : "those whose batch did not change moved by "
            + Wording.signed(shift)
            + " "
            + Wording.interval(new Interval(shift - half, shift + half))
            + ", n="
            + Math.round(requests);
  }
}
