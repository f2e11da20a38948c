package io.servedrift.monitors.detection;

/**
 * Step or ramp: which of two shapes a series took. A step is a level before and another after; a
 * ramp a level before and a straight line from there. Both have a level, a size and a beginning, so
 * their likelihoods are compared as they are, over all beginnings. Pure functions.
 */
final class Trend {
  /**
   * Log likelihood by which a ramp must win, in nats: with equal numbers of parameters, odds of
   * twenty to one.
   */
  static final double MARGIN = 3;

  private static final int LEAST_POINTS = 8;

  private Trend() {}

  /**
   * Whether a ramp fits better than a step by {@link #MARGIN}.
   *
   * @param time of the points, ascending
   * @param value of the points
   * @param precision 1 / variance of the points, long-run variance included
   * @return false below eight points
   */
  static boolean isGradual(double[] time, double[] value, double[] precision) {
    if (time.length < LEAST_POINTS) {
      return false;
    }
    double step = 0;
    double ramp = 0;
    double[] shape = new double[time.length];
    for (int onset = 1; onset < time.length; onset++) {
      for (int at = 0; at < time.length; at++) {
        shape[at] = at < onset ? 0 : 1;
      }
      step = Math.max(step, gain(shape, value, precision));
      for (int at = onset; at < time.length; at++) {
        shape[at] = time[at] - time[onset - 1];
      }
      ramp = Math.max(ramp, gain(shape, value, precision));
    }
    return ramp > step + MARGIN;
  }

  /** Log likelihood of the best multiple of a shape over that of no shape, a level free in both. */
  private static double gain(double[] shape, double[] value, double[] precision) {
    double weight = 0;
    double shapeMean = 0;
    double valueMean = 0;
    for (int at = 0; at < shape.length; at++) {
      weight += precision[at];
      shapeMean += precision[at] * shape[at];
      valueMean += precision[at] * value[at];
    }
    shapeMean /= weight;
    valueMean /= weight;
    double square = 0;
    double product = 0;
    for (int at = 0; at < shape.length; at++) {
      double off = shape[at] - shapeMean;
      square += precision[at] * off * off;
      product += precision[at] * off * (value[at] - valueMean);
    }
    return square > 0 ? product * product / square / 2 : 0;
  }
}
