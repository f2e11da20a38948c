package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * How differences of one score are judged.
 *
 * @param ratio whether its values are 0 or 1 per answer
 * @param worse which direction is for the worse; {@code both}: any change beyond the margin counts
 * @param margin largest difference that does not matter, in the unit of the score; null: {@code
 *     marginSd} of its standard deviation in old production
 * @param marginSd the same in standard deviations
 * @param stratumMargin the same in one stratum
 * @param stratumMarginSd the same in standard deviations
 * @param bar what the score must reach to be good; null: there is none
 */
public record ScoreRule(
    boolean ratio,
    Worse worse,
    @Nullable Double margin,
    double marginSd,
    @Nullable Double stratumMargin,
    double stratumMarginSd,
    @Nullable Double bar) {

  /** Which direction of a difference is for the worse. */
  public enum Worse {
    DOWN,
    UP,
    BOTH
  }
}
