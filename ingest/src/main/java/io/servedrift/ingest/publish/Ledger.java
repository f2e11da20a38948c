package io.servedrift.ingest.publish;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The books of a publisher: every count changes under one lock, so that the conservation law holds
 * in each snapshot and not only at rest. Thread-safe.
 */
final class Ledger {

  private final long bufferBytes;
  private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
  private long offered;
  private long published;
  private long inFlight;
  private long inFlightBytes;
  private boolean closed;

  Ledger(long bufferBytes) {
    this.bufferBytes = bufferBytes;
  }

  /** An event dropped before it entered the buffer. */
  synchronized void refuse(DropReason reason) {
    offered++;
    dropped.merge(reason, 1L, Long::sum);
  }

  /**
   * Takes an event into the buffer when there is room.
   *
   * @param enqueue run under the lock, so that no event enters the queue after {@link #close()}
   * @return {@code null} when taken, else why not
   */
  synchronized @Nullable DropReason admit(long bytes, Runnable enqueue) {
    DropReason refused =
        closed
            ? DropReason.CLOSED
            : inFlightBytes + bytes > bufferBytes ? DropReason.BUFFER_FULL : null;
    if (refused != null) {
      refuse(refused);
      return refused;
    }
    offered++;
    inFlight++;
    inFlightBytes += bytes;
    enqueue.run();
    return null;
  }

  synchronized void published(long bytes) {
    settle(bytes);
    published++;
  }

  synchronized void dropped(long bytes, DropReason reason) {
    settle(bytes);
    dropped.merge(reason, 1L, Long::sum);
  }

  private void settle(long bytes) {
    inFlight--;
    inFlightBytes -= bytes;
  }

  /** From now on nothing is admitted; returns false when it was closed before. */
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  synchronized PublisherMetrics snapshot() {
    return new Snapshot(offered, published, Map.copyOf(dropped), inFlight, inFlightBytes);
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
