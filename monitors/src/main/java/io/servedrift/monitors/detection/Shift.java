package io.servedrift.monitors.detection;

/**
 * A shift of one track: when it began and how large it is since.
 *
 * @param onsetMicros start of the first pane after the most likely change point
 * @param earliestMicros start of the 90 % interval of the onset (equal-tailed, flat prior)
 * @param latestMicros end of it
 * @param effect means: difference from what is expected, in the unit of the metric; counts and
 *     shares: observed over expected
 * @param lower lower end of the 95 % interval of the effect; not adjusted for having been found
 * @param upper upper end
 * @param relative whether the effect is a ratio (no effect is 1) and not a difference (0)
 * @param gradual whether it came on slowly: a ramp fits much better than a step
 */
public record Shift(
    long onsetMicros,
    long earliestMicros,
    long latestMicros,
    double effect,
    double lower,
    double upper,
    boolean relative,
    boolean gradual) {
  /**
   * Whether all of the interval lies beyond a floor: what a page requires.
   *
   * @param floor in the unit of the effect, at least 0: 0.25 for a quarter more, or a difference
   */
  public boolean exceeds(double floor) {
    return relative ? lower > 1 + floor : lower > floor || upper < -floor;
  }
}
