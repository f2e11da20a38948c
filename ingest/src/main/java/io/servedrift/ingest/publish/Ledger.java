package io.servedrift.ingest.publish;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The books of a publisher, without a lock: a thread that serves a request never waits for one that
 * was interrupted in here. An event is counted as offered before it is counted as anything else,
 * and a snapshot reads in the opposite order; what lies between is in flight, so the conservation
 * law holds in each snapshot and not only at rest. Thread-safe.
 */
final class Ledger {

  private final long bufferBytes;
  private final Map<DropReason, AtomicLong> dropped = new EnumMap<>(DropReason.class);
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  Ledger(long bufferBytes) {
    this.bufferBytes = bufferBytes;
    for (DropReason reason : DropReason.values()) {
      dropped.put(reason, new AtomicLong());
    }
  }

  /**
   * Counts an event, and takes it into the buffer when there is room.
   *
   * @return {@code null} when taken, else why not; it is counted as dropped then
   */
  @Nullable DropReason admit(long bytes) {
    offered.incrementAndGet();
    DropReason refused =
        closed.get() ? DropReason.CLOSED : reserve(bytes) ? null : DropReason.BUFFER_FULL;
    if (refused != null) {
      count(refused);
    }
    return refused;
  }

  private void count(DropReason reason) {
    Objects.requireNonNull(dropped.get(reason)).incrementAndGet();
  }

  private boolean reserve(long bytes) {
    long held = heldBytes.get();
    while (held + bytes <= bufferBytes) {
      long seen = heldBytes.compareAndExchange(held, held + bytes);
      if (seen == held) {
        return true;
      }
      held = seen;
    }
    return false;
  }

  /** An event that was taken holds so much less from now on. */
  void shrunk(long bytes) {
    heldBytes.addAndGet(-bytes);
  }

  void published(long bytes) {
    heldBytes.addAndGet(-bytes);
    published.incrementAndGet();
  }

  void dropped(long bytes, DropReason reason) {
    heldBytes.addAndGet(-bytes);
    count(reason);
  }

  /** From now on nothing is admitted; returns false when it was closed before. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  boolean isClosed() {
    return closed.get();
  }

  PublisherMetrics snapshot() {
    long publishedNow = published.get();
    Map<DropReason, Long> droppedNow = new EnumMap<>(DropReason.class);
    long settled = publishedNow;
    for (Map.Entry<DropReason, AtomicLong> entry : dropped.entrySet()) {
      long count = entry.getValue().get();
      droppedNow.put(entry.getKey(), count);
      settled += count;
    }
    long bytes = heldBytes.get();
    long offeredNow = offered.get();
    return new Snapshot(
        offeredNow, publishedNow, Map.copyOf(droppedNow), offeredNow - settled, bytes);
  }

  private record Snapshot(
      long offered,
      long published,
      Map<DropReason, Long> droppedByReason,
      long inFlight,
      long inFlightBytes)
      implements PublisherMetrics {

    @Override
    public long dropped(DropReason reason) {
      return droppedByReason.getOrDefault(reason, 0L);
    }
  }
}
