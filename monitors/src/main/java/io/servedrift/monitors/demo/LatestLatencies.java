package io.servedrift.monitors.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The latest latencies that clients saw, and how many there were in all. Not thread-safe. */
final class LatestLatencies {
  /** A demonstration that is left alone must not grow. */
  static final int MOST = 10_000;

  private final Deque<Double> seconds = new ArrayDeque<>();
  private long images;

  void add(double latency) {
    images++;
    if (seconds.size() == MOST) {
      seconds.removeFirst();
    }
    seconds.addLast(latency);
  }

  LoadNumbers numbers(long failures, @Nullable String failure) {
    return new LoadNumbers(images, seconds.stream().toList(), failures, failure);
  }
}
