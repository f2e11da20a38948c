package io.servedrift.monitors.gate.run;

/** Spaces calls of the closed arms, at most so many per second. Thread-safe. */
final class RateLimit {
  private static final double NANOS = 1e9;

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

  /** Blocks until one more call may be sent. */
  void await() throws InterruptedException {
    if (gapNanos > 0) {
      timeline.sleepUntil(slot());
    }
  }

  private synchronized long slot() {
    long now = timeline.nanos();
    long slot = nextNanos - now > 0 ? nextNanos : now;
    nextNanos = slot + gapNanos;
    return slot;
  }
}
