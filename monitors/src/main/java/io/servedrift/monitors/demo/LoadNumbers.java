package io.servedrift.monitors.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What clients saw. Immutable.
 *
 * @param images number of images that they got
 * @param seconds latencies of the latest of them, in seconds, ascending
 * @param failures requests without an image
 * @param failure how the latest of them failed, null when none did
 */
public record LoadNumbers(
    long images, List<Double> seconds, long failures, @Nullable String failure) {
  /** Fewer say nothing of one in a hundred. */
  private static final int LEAST_FOR_P99 = 100;

  /** Keeps its own list. */
  public LoadNumbers {
    seconds = seconds.stream().sorted().toList();
  }

  /** With the latency of every image. */
  public LoadNumbers(List<Double> seconds, long failures, @Nullable String failure) {
    this(seconds.size(), seconds, failures, failure);
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
