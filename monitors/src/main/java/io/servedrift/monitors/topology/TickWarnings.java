package io.servedrift.monitors.topology;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that ticks could not be written: at once, then at most once a minute. After a suspension of
 * the machine, or with a broker that is gone, every partition misses every tick. Thread-safe.
 */
final class TickWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(TickWriter.class);
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private long saidAtNanos;
  private long unsaid;

  /** Warnings by a clock of {@link System#nanoTime}'s kind. */
  TickWarnings(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.saidAtNanos = nanoTime.getAsLong() - PAUSE_NANOS;
  }

  /** Notes one tick that was not written. */
  void missed(Throwable why) {
    long now = nanoTime.getAsLong();
    long missed;
    synchronized (this) {
      unsaid++;
      if (now - saidAtNanos < PAUSE_NANOS) {
        return;
      }
      saidAtNanos = now;
      missed = unsaid;
      unsaid = 0;
    }
    LOG.warn(
        "{} tick(s) not written, panes close later; look whether the broker is up"
            + " (/-/ready, component broker): {}",
        missed,
        why.toString());
  }
}
