package io.servedrift.ingest.http;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A point in time after which something is over. */
final class Deadline {
  private final Duration allowed;
  private final LongSupplier nanoTime;
  private final long end;

  private Deadline(Duration allowed, LongSupplier nanoTime) {
    this.allowed = allowed;
    this.nanoTime = nanoTime;
    this.end = nanoTime.getAsLong() + allowed.toNanos();
  }

  /**
   * Begins now.
   *
   * @param allowed how long until it is over
   * @param nanoTime a monotonic clock, nanoseconds
   */
  static Deadline in(Duration allowed, LongSupplier nanoTime) {
    return new Deadline(allowed, nanoTime);
  }

  /** How long there was from the beginning. */
  Duration allowed() {
    return allowed;
  }

  boolean isOver() {
    return nanoTime.getAsLong() - end >= 0;
  }
}
