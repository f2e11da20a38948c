package io.servedrift.monitors.baseline;

/**
 * Evidence of one component over time: the Shiryaev-Roberts e-detector M = exp(l') (1 + M) (Shin,
 * Ramdas and Rinaldo 2023), where l' = min(l, tokens). Tokens refill by 1 nat per minute up to 5,
 * so a shift must last: one freak pane never suffices. As l' is at most l, what holds for the
 * e-detector holds with the limit. Not thread-safe.
 */
public final class EvidencePath {
  static final double DEPTH = 5;
  static final double NATS_PER_MINUTE = 1;
  private static final double HIGHEST = 1e280;

  private double statistic;
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
    statistic = Math.min(StrictMath.exp(taken) * (1 + statistic), HIGHEST);
    return statistic;
  }

  /** M: at most the number of steps in expectation while nothing shifts. */
  public double statistic() {
    return statistic;
  }

  /** Starts over. */
  public void restart() {
    statistic = 0;
    tokens = DEPTH;
  }

  /** Writes the state. */
  public void write(Content.Writer out) {
    out.number(statistic);
    out.number(tokens);
  }

  /** Reads what {@link #write} wrote. */
  public void read(Content.Reader in) {
    statistic = in.number();
    tokens = in.number();
  }
}
