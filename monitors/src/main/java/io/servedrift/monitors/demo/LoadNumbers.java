package io.servedrift.monitors.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What clients saw. Immutable.
 *
 * @param seconds latencies of the images they got, in seconds, ascending
 * @param failures requests without an image
 * @param failure how the latest of them failed, null when none did
 */
public record LoadNumbers(List<Double> seconds, long failures, @Nullable String failure) {
  /** Fewer say nothing of one in a hundred. */
  private static final int LEAST_FOR_P99 = 100;

  /** Keeps its own list. */
  public LoadNumbers {
    seconds = seconds.stream().sorted().toList();
  }

  /** Number of images. */
  public int images() {
    return seconds.size();
  }

  /** Mean latency in seconds, NaN without images. */
  public double mean() {
    return seconds.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  /** Nearest rank of .99 in seconds; NaN below 100 images. */
  public double p99() {
    int n = seconds.size();
    return n < LEAST_FOR_P99 ? Double.NaN : seconds.get((int) Math.ceil(.99 * n) - 1);
  }
}
