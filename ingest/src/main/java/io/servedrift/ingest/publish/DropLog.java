package io.servedrift.ingest.publish;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that events are dropped: at once, then at most once a minute per reason. Thread-safe. */
final class DropLog {

  private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private final Map<DropReason, Entry> entries = new EnumMap<>(DropReason.class);

  DropLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void dropped(DropReason reason, String detail) {
    long now = nanoTime.getAsLong();
    long count;
    synchronized (this) {
      Entry entry = entries.computeIfAbsent(reason, r -> new Entry(now - PAUSE_NANOS));
      entry.unsaid++;
      if (now - entry.saidAtNanos < PAUSE_NANOS) {
        return;
      }
      entry.saidAtNanos = now;
      count = entry.unsaid;
      entry.unsaid = 0;
    }
    LOG.warn("dropped {} event(s), reason={}: {}", count, reason.code(), detail);
  }

  private static final class Entry {
    private long saidAtNanos;
    private long unsaid;

    Entry(long saidAtNanos) {
      this.saidAtNanos = saidAtNanos;
    }
  }
}
