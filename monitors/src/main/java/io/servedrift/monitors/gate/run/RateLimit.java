package io.servedrift.monitors.gate.run;

import java.util.function.BooleanSupplier;

/** Spaces calls of the closed arms, at most so many per second. Thread-safe. */
final class RateLimit {
  private static final double NANOS = 1e9;
  private static final long TURN_NANOS = 100_000_000;

  private final Timeline timeline;
  private final long gapNanos;
  private long nextNanos;

  /**
   * A limit.
   *
   * @param perSecond calls per second; 0 for no limit
   */
  RateLimit(Timeline timeline, double perSecond) {
    this.timeline = timeline;
    this.gapNanos = perSecond == 0 ? 0 : Math.round(NANOS / perSecond);
    this.nextNanos = timeline.nanos();
  }

  /**
   * Blocks until one more call may be sent.
   *
   * @param stopped whether to give up, looked at in short turns
   * @return whether it may be sent; false after a stop
   */
  boolean await(BooleanSupplier stopped) throws InterruptedException {
    if (gapNanos == 0) {
      return true;
    }
    long slot = slot();
    while (slot - timeline.nanos() > TURN_NANOS) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      timeline.sleepUntil(timeline.nanos() + TURN_NANOS);
    }
    timeline.sleepUntil(slot);
    return !stopped.getAsBoolean();
  }

  private synchronized long slot() {
    long now = timeline.nanos();
    long slot = nextNanos - now > 0 ? nextNanos : now;
    nextNanos = slot + gapNanos;
    return slot;
  }
}
