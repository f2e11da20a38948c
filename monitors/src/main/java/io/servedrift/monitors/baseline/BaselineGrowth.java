package io.servedrift.monitors.baseline;

import java.util.Optional;

/**
 * When a baseline is learned, and from which panes, while a series grows old: first after half an
 * hour, then whenever its history is half as long again as at the last fit, a last time when it is
 * of full length. Then it is frozen.
 *
 * <p>The newest part of the history is held out of every fit and then judged by it: a shift that
 * has just begun is neither learned as normal nor forgotten. The caller leaves out the beginning as
 * well: caches fill and kernels are compiled. While there is evidence of a shift a fit waits, but
 * not for ever: a baseline that never learned the day would be worse.
 *
 * <p>Pure: the plan is a function of the arguments. Immutable and thread-safe.
 */
public final class BaselineGrowth {
  private static final long MINUTE = 60_000_000;
  private static final double GROWTH = 1.5;
  private static final double LONGEST_WAIT = 4;
  private static final double HELD_OUT = 0.25;
  private static final long MOST_HELD_OUT = 60 * MINUTE;

  private final Settings settings;

  /**
   * What the policy says of baselines.
   *
   * @param leastMicros length of history from which there is a baseline
   * @param leastValues values from which there is one
   * @param fullMicros length of history with which it is frozen
   * @param warmUpMicros beginning of a series that is not learned from
   */
  public record Settings(long leastMicros, long leastValues, long fullMicros, long warmUpMicros) {
    /** Half an hour and 1,000 values, a week, ten minutes. */
    public static final Settings DEFAULT =
        new Settings(30 * MINUTE, 1000, 7 * 1440 * MINUTE, 10 * MINUTE);

    /** Checks ranges. */
    public Settings {
      if (leastMicros < 1 || fullMicros < leastMicros) {
        throw new IllegalArgumentException(
            "least="
                + leastMicros
                + ", full="
                + fullMicros
                + " microseconds: must be at least 1 and ascend");
      }
      if (leastValues < 1 || warmUpMicros < 0) {
        throw new IllegalArgumentException(
            "leastValues="
                + leastValues
                + ", warmUp="
                + warmUpMicros
                + ": must be at least 1 and at least 0");
      }
    }
  }

  /**
   * A fit that is due.
   *
   * @param heldOutMicros how much of the newest traffic is held out
   * @param last whether the baseline is frozen with it
   */
  public record Step(long heldOutMicros, boolean last) {}

  /** With the settings of a policy. */
  public BaselineGrowth(Settings settings) {
    this.settings = settings;
  }

  /**
   * The fit that is due now.
   *
   * @param length of the history that may be learned from, the beginning left out; microseconds
   * @param values in it
   * @param fittedMicros {@code length} at the last fit; 0 before the first
   * @param suspicious whether a family of the series is at the watch level or above
   * @return empty when there is nothing to do; do not ask again after the last one
   */
  public Optional<Step> due(long length, long values, long fittedMicros, boolean suspicious) {
    boolean first = fittedMicros == 0;
    boolean full = length >= settings.fullMicros();
    if (first
        ? length < settings.leastMicros() || values < settings.leastValues()
        : !full && length < GROWTH * fittedMicros) {
      return Optional.empty();
    }
    if (!first && suspicious && length < LONGEST_WAIT * fittedMicros) {
      return Optional.empty();
    }
    return Optional.of(new Step(Math.min(MOST_HELD_OUT, (long) (HELD_OUT * length)), full));
  }
}
