package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.SeriesKey;

/**
 * What the judge holds of a series after its latest pane: for metrics and charts, nothing is
 * decided by it. Immutable. Numbers that are not known are NaN.
 *
 * @param state whether the series holds what is normal
 * @param baseline kind of baseline that it is compared with, as in findings; empty without one
 * @param baselineN values in that baseline
 * @param baselineMean its mean: seconds, ratio, or the unit of the score
 * @param baselineP99 its p99
 * @param meanThreshold mean from which on a lasting shift for the worse counts, see {@link
 *     StandingThresholds}
 * @param p99Threshold the same for the p99; durations only
 */
public record SeriesStanding(
    SeriesKey series,
    State state,
    String baseline,
    long baselineN,
    double baselineMean,
    double baselineP99,
    double meanThreshold,
    double p99Threshold) {

  /** Whether a series holds what is normal. */
  public enum State {
    /** The policy does not judge this metric. */
    NOT_JUDGED,
    /** Nothing is known yet that it could be compared with. */
    NO_BASELINE,
    /** It is compared, and no finding for the worse is open. */
    HOLDS,
    /** A finding for the worse is open, of whatever severity. */
    DRIFTED
  }
}
