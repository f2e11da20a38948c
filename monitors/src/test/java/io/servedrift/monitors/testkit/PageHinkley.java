package io.servedrift.monitors.testkit;

/**
 * The Page-Hinkley test: a cumulative sum of deviations from the running mean, with forgetting,
 * that has risen too far above its minimum or fallen too far below its maximum. Page, "Continuous
 * inspection schemes", Biometrika 1954, in the form stream libraries use; starts afresh after a
 * detection. A peer to compare with. Not thread-safe.
 */
final class PageHinkley implements StreamDetector {
  private final int least;
  private final double delta;
  private final double threshold;
  private final double alpha;
  private long n;
  private double mean;
  private double up;
  private double lowestUp;
  private double down;
  private double highestDown;

  /** The usual defaults: 30 values at least, delta 0.005, threshold 50, forgetting 0.9999. */
  PageHinkley() {
    this(30, 0.005, 50, 0.9999);
  }

  /**
   * @param least values before the first detection
   * @param delta deviation that is tolerated, in units of the values
   * @param threshold of the cumulative sums, in units of the values
   * @param alpha forgetting factor of the sums, in (0, 1]
   */
  PageHinkley(int least, double delta, double threshold, double alpha) {
    this.least = least;
    this.delta = delta;
    this.threshold = threshold;
    this.alpha = alpha;
    restart();
  }

  private void restart() {
    n = 0;
    mean = 0;
    up = 0;
    lowestUp = Double.POSITIVE_INFINITY;
    down = 0;
    highestDown = Double.NEGATIVE_INFINITY;
  }

  @Override
  public boolean update(double value) {
    n++;
    mean += (value - mean) / n;
    double deviation = value - mean;
    up = alpha * up + deviation - delta;
    down = alpha * down + deviation + delta;
    lowestUp = Math.min(lowestUp, up);
    highestDown = Math.max(highestDown, down);
    if (n < least || (up - lowestUp <= threshold && highestDown - down <= threshold)) {
      return false;
    }
    restart();
    return true;
  }
}
