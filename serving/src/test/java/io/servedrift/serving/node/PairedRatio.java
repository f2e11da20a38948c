package io.servedrift.serving.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * How much one thing is of another, from pairs that were measured next to each other: the geometric
 * mean of the pairs' ratios with a bootstrap percentile interval (Efron 1979) over the pairs, which
 * assumes neither a distribution nor equal conditions from pair to pair. Not thread-safe.
 */
final class PairedRatio {

  private static final int RESAMPLES = 10_000;
  private static final double LEVEL = 0.95;

  private final List<Double> logs = new ArrayList<>();

  void add(double one, double other) {
    logs.add(Math.log(one / other));
  }

  double mean() {
    return Math.exp(mean(logs.stream().mapToDouble(Double::doubleValue).toArray()));
  }

  /** Lower and upper end. */
  double[] interval() {
    SplittableRandom random = new SplittableRandom(7);
    double[] means = new double[RESAMPLES];
    double[] sample = new double[logs.size()];
    for (int i = 0; i < RESAMPLES; i++) {
      for (int j = 0; j < sample.length; j++) {
        sample[j] = logs.get(random.nextInt(sample.length));
      }
      means[i] = mean(sample);
    }
    Arrays.sort(means);
    int tail = (int) Math.round(RESAMPLES * (1 - LEVEL) / 2);
    return new double[] {Math.exp(means[tail]), Math.exp(means[RESAMPLES - 1 - tail])};
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  @Override
  public String toString() {
    double[] interval = interval();
    return String.format(
        Locale.ROOT, "%.4f (%.4f..%.4f, n=%d)", mean(), interval[0], interval[1], logs.size());
  }
}
