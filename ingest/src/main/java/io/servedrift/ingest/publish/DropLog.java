package io.servedrift.ingest.publish;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that events are dropped: soon, then at most once a minute per reason. Who drops an event
 * only counts it; the publisher's own thread writes, because a log may block, and who closes the
 * publisher writes the rest. Thread-safe.
 */
final class DropLog {

  private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private final Map<DropReason, Entry> entries = new EnumMap<>(DropReason.class);

  DropLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long now = nanoTime.getAsLong();
    for (DropReason reason : DropReason.values()) {
      entries.put(reason, new Entry(now - PAUSE_NANOS));
    }
  }

  void dropped(DropReason reason, String detail) {
    Entry entry = Objects.requireNonNull(entries.get(reason));
    entry.detail = detail;
    entry.unsaid.incrementAndGet();
  }

  /** Writes what was not said and may be said by now. */
  synchronized void say() {
    entries.forEach((reason, entry) -> say(reason, entry, false));
  }

  /** Writes all that was not said, because nothing follows. */
  synchronized void sayRest() {
    entries.forEach((reason, entry) -> say(reason, entry, true));
  }

  private void say(DropReason reason, Entry entry, boolean atOnce) {
    if (entry.unsaid.get() == 0) {
      return;
    }
    long now = nanoTime.getAsLong();
    if (atOnce || now - entry.saidAtNanos >= PAUSE_NANOS) {
      entry.saidAtNanos = now;
      LOG.warn(
          "dropped {} event(s), reason={}: {}",
          entry.unsaid.getAndSet(0),
          reason.code(),
          entry.detail);
    }
  }

  private static final class Entry {
    private final AtomicLong unsaid = new AtomicLong();
    private volatile String detail = "";
    private long saidAtNanos;

    Entry(long saidAtNanos) {
      this.saidAtNanos = saidAtNanos;
    }
  }
}
