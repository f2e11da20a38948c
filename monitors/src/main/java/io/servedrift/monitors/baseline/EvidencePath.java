package io.servedrift.monitors.baseline;

import io.servedrift.monitors.stats.ShiryaevRoberts;

/**
 * Evidence of one component over time: the Shiryaev-Roberts e-detector M = exp(l') (1 + M) (Shin,
 * Ramdas and Rinaldo 2023), where l' = min(l, tokens). Tokens refill by 1 nat per minute up to 5,
 * so a shift must last: one freak pane never suffices. As l' is at most l, what holds for the
 * e-detector holds with the limit. Not thread-safe.
 */
public final class EvidencePath {
  static final double DEPTH = 5;
  static final double NATS_PER_MINUTE = 1;

  /** Keeps sums over components finite. */
  private static final double HIGHEST = 640;

  private double logStatistic = ShiryaevRoberts.START;
  private double tokens = DEPTH;

  /** Starts without evidence. */
  public EvidencePath() {}

  /** Time without an observation. */
  public void pass(double minutes) {
    tokens = Math.min(DEPTH, tokens + NATS_PER_MINUTE * minutes);
  }

  /**
   * Takes a log e-factor.
   *
   * @return M
   */
  public double step(double logFactor) {
    double taken = Math.min(logFactor, tokens);
    tokens -= Math.max(taken, 0);
    logStatistic = Math.min(ShiryaevRoberts.next(logStatistic, taken), HIGHEST);
    return statistic();
  }

  /** M: at most the number of steps in expectation while nothing shifts. */
  public double statistic() {
    return StrictMath.exp(logStatistic);
  }

  /** Starts over. */
  public void restart() {
    logStatistic = ShiryaevRoberts.START;
    tokens = DEPTH;
  }

  /** Writes the state. */
  public void write(Content.Writer out) {
    out.number(logStatistic);
    out.number(tokens);
  }

  /** Reads what {@link #write} wrote. */
  public void read(Content.Reader in) {
    logStatistic = in.number();
    tokens = in.number();
  }
}
