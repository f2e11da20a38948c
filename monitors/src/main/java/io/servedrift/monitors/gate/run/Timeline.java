package io.servedrift.monitors.gate.run;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Time as the runner sees it, so that tests need not wait. Thread-safe. */
public interface Timeline {
  /** A reading that never goes back; only differences mean something. */
  long nanos();

  /** Microseconds since the epoch that belong to a reading. */
  long epochMicros(long nanos);

  /** Blocks until a reading; returns at once when it has passed. */
  void sleepUntil(long nanos) throws InterruptedException;

  /** The machine's. */
  static Timeline of(Clock clock) {
    long origin = System.nanoTime();
    long epoch = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    return new Timeline() {
      @Override
      public long nanos() {
        return System.nanoTime();
      }

      @Override
      public long epochMicros(long nanos) {
        return epoch + TimeUnit.NANOSECONDS.toMicros(nanos - origin);
      }

      @Override
      public void sleepUntil(long nanos) throws InterruptedException {
        for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
          TimeUnit.NANOSECONDS.sleep(left);
        }
      }
    };
  }
}
