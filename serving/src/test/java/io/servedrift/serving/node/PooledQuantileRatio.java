package io.servedrift.serving.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How much a far quantile of one thing is of another's: of all values of all rounds, because a
 * round alone has too few for it, with a bootstrap percentile interval (Efron 1979) over the
 * rounds, in which values are not independent. Not thread-safe.
 */
final class PooledQuantileRatio {

  private static final int RESAMPLES = 10_000;
  private static final double LEVEL = 0.95;

  private final double q;
  private final List<double[]> ones = new ArrayList<>();
  private final List<double[]> others = new ArrayList<>();

  PooledQuantileRatio(double q) {
    this.q = q;
  }

  /** A round's values of the one and of the other. */
  void add(double[] one, double[] other) {
    ones.add(one.clone());
    others.add(other.clone());
  }

  /** By nearest rank: the smallest value that is not below so many of them. */
  static double quantile(double[] sorted, double q) {
    return sorted[Math.max(0, (int) Math.ceil(q * sorted.length) - 1)];
  }

  double ratio() {
    return ratio(IntStream.range(0, ones.size()).toArray());
  }

  private double ratio(int[] rounds) {
    return quantile(pooled(ones, rounds), q) / quantile(pooled(others, rounds), q);
  }

  private static double[] pooled(List<double[]> all, int[] rounds) {
    return Arrays.stream(rounds)
        .mapToObj(all::get)
        .flatMapToDouble(Arrays::stream)
        .sorted()
        .toArray();
  }

  /** Lower and upper end. */
  double[] interval() {
    SplittableRandom random = new SplittableRandom(7);
    double[] ratios = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      ratios[i] = ratio(random.ints(ones.size(), 0, ones.size()).toArray());
    }
    Arrays.sort(ratios);
    int tail = (int) Math.round(RESAMPLES * (1 - LEVEL) / 2);
    return new double[] {ratios[tail], ratios[RESAMPLES - 1 - tail]};
  }

  @Override
  public String toString() {
    double[] interval = interval();
    return String.format(
        Locale.ROOT, "%.4f (%.4f..%.4f, n=%d)", ratio(), interval[0], interval[1], ones.size());
  }
}
