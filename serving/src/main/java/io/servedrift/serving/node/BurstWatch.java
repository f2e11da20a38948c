package io.servedrift.serving.node;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Notices when a counter grows by much within a time, such as the evictions of a cache: reports it
 * once, and again only after a time without. Not thread-safe.
 */
final class BurstWatch {

  private final long windowNanos;
  private final long threshold;
  private final Deque<Reading> readings = new ArrayDeque<>();
  private boolean reported;

  /**
   * Watches one counter.
   *
   * @param window how far growths are added up
   * @param threshold growth within the window that is reported
   */
  BurstWatch(Duration window, long threshold) {
    this.windowNanos = window.toNanos();
    this.threshold = threshold;
  }

  /**
   * Looks at the counter.
   *
   * @param nanos monotonic time of the reading
   * @param total the counter, which never falls
   * @return the growth within the window when a burst begins, else empty
   */
  OptionalLong observe(long nanos, long total) {
    readings.addLast(new Reading(nanos, total));
    while (nanos - readings.getFirst().nanos > windowNanos) {
      readings.removeFirst();
    }
    long growth = total - readings.getFirst().total;
    if (growth < threshold) {
      reported = false;
      return OptionalLong.empty();
    }
    boolean first = !reported;
    reported = true;
    return first ? OptionalLong.of(growth) : OptionalLong.empty();
  }

  private record Reading(long nanos, long total) {}
}
