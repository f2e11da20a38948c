package io.servedrift.monitors.baseline;

/**
 * Quantile of a sample by linear interpolation between order statistics (Hyndman and Fan 1996, type
 * 7).
 */
public final class SampleQuantile {
  private SampleQuantile() {}

  /** The quantile q of ascending values, at least one. */
  public static double of(double[] sorted, double q) {
    double position = (sorted.length - 1) * q;
    int below = (int) Math.floor(position);
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
