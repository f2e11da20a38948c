package io.servedrift.monitors.stats;

import java.util.Arrays;

/**
 * When a series changed its level, given that it did once: the posterior over t, the number of
 * entries before the change, from a flat prior and the profile likelihood llr(t) = W_1 W_2 / W
 * (mean_2 - mean_1)^2 / (2 sigma^2), W the sums of weights before and after t. With equal weights
 * W_1 W_2 / W = t (n - t) / n. Immutable.
 */
public final class ChangePoint {
  /**
   * A range of t, both ends included.
   *
   * @param from smallest number of entries before the change
   * @param to largest number of entries before the change
   */
  public record Range(int from, int to) {}

  private final double[] logRatio;
  private final double[] posterior;

  private ChangePoint(double[] logRatio) {
    this.logRatio = logRatio;
    this.posterior = new double[logRatio.length];
    double normaliser = LogSpace.sum(logRatio);
    for (int i = 0; i < logRatio.length; i++) {
      posterior[i] = StrictMath.exp(logRatio[i] - normaliser);
    }
  }

  /**
   * From values of one variance.
   *
   * @param values in the order of time, at least 2, finite
   * @param variance sigma^2 of one value, long-run inflation included; above 0
   */
  public static ChangePoint of(double[] values, double variance) {
    double[] weights = new double[values.length];
    Arrays.fill(weights, 1);
    return of(values, weights, variance);
  }

  /**
   * From values of different precision, such as means of panes of different size.
   *
   * @param values in the order of time, at least 2, finite
   * @param weights as many, above 0: the variance of a value is variance / weight
   * @param variance sigma^2 of a value of weight 1; above 0
   */
  public static ChangePoint of(double[] values, double[] weights, double variance) {
    Arguments.requireAtLeast("number of values", (long) values.length, 2L);
    Arguments.requireSameLength("weights", weights.length, "values", values.length);
    Arguments.requireAbove("variance", variance, 0);
    double total = 0;
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      Arguments.requireFinite("value", values[i]);
      Arguments.requireAbove("weight", weights[i], 0);
      total += weights[i];
      sum += weights[i] * values[i];
    }
    double mean = sum / total;
    double[] logRatio = new double[values.length - 1];
    double before = 0;
    double deviation = 0;
    for (int t = 1; t < values.length; t++) {
      before += weights[t - 1];
      deviation += weights[t - 1] * (values[t - 1] - mean);
      // mean_2 - mean_1 = -deviation W / (W_1 W_2), as deviations from the mean sum to 0.
      logRatio[t - 1] =
          deviation * deviation * total / (before * (total - before)) / (2 * variance);
    }
    return new ChangePoint(logRatio);
  }

  /** llr(t) in nats, t from 1 to n - 1. */
  public double logRatio(int t) {
    return logRatio[index(t)];
  }

  /** Posterior probability of t, from 1 to n - 1. */
  public double posterior(int t) {
    return posterior[index(t)];
  }

  /** The most probable t; the earliest of equals. */
  public int mode() {
    int best = 0;
    for (int i = 1; i < logRatio.length; i++) {
      if (logRatio[i] > logRatio[best]) {
        best = i;
      }
    }
    return best + 1;
  }

  /**
   * The central range that holds t with this probability: on either side at most (1 - level) / 2 is
   * cut off.
   *
   * @param level inside (0, 1)
   */
  public Range interval(double level) {
    Arguments.requireInside("level", level);
    double tail = (1 - level) / 2;
    int from = 0;
    for (double cut = posterior[0]; cut <= tail && from < posterior.length - 1; ) {
      from++;
      cut += posterior[from];
    }
    int to = posterior.length - 1;
    for (double cut = posterior[to]; cut <= tail && to > from; ) {
      to--;
      cut += posterior[to];
    }
    return new Range(from + 1, to + 1);
  }

  private int index(int t) {
    if (t < 1 || t > logRatio.length) {
      throw new IllegalArgumentException("t=" + t + ": must be between 1 and " + logRatio.length);
    }
    return t - 1;
  }
}
