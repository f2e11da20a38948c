package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;

/**
 * How much of a shift one cause explains. Contributions are in the unit of the metric and signed;
 * intervals hold 95 % of the draws.
 *
 * @param exposure by moving requests between cells
 * @param effect by making like requests worse
 * @param interval of exposure plus effect
 * @param share of all contributions in the direction of the shift, 0..1
 * @param probability that no other cause contributes more; load and traffic mix share theirs
 */
public record CauseShare(
    Cause cause,
    double exposure,
    double effect,
    Interval interval,
    double share,
    Interval shareInterval,
    double probability) {

  /** Exposure plus effect. */
  public double contribution() {
    return exposure + effect;
  }

  /** The larger part, in the direction of the shift. */
  Mechanism mechanism(double sign) {
    return effect * sign >= exposure * sign ? Mechanism.EFFECT : Mechanism.EXPOSURE;
  }
}
