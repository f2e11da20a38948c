package io.servedrift.ingest.publish;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * The books of a publisher. What is in flight has a count of its own and is not what the others
 * leave over, so an event that is lost breaks the conservation law. Those that count share the
 * lock, so a thread that serves a request never waits for one that was interrupted in here; a
 * snapshot has it alone but never queues for it, so the law holds in each snapshot and not only at
 * rest. Thread-safe.
 */
final class Ledger {

  private final long bufferBytes;
  private final Map<DropReason, AtomicLong> dropped = new EnumMap<>(DropReason.class);
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong published = new AtomicLong();
  private final AtomicLong inFlight = new AtomicLong();
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final StampedLock counting = new StampedLock();

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
    long stamp = counting.readLock();
    try {
      offered.incrementAndGet();
      if (!closed.get() && reserve(bytes)) {
        inFlight.incrementAndGet();
        return null;
      }
      DropReason refused = closed.get() ? DropReason.CLOSED : DropReason.BUFFER_FULL;
      count(refused);
      return refused;
    } finally {
      counting.unlockRead(stamp);
    }
  }

  /** Counts an event that is dropped without being taken. */
  void refused(DropReason reason) {
    long stamp = counting.readLock();
    try {
      offered.incrementAndGet();
      count(reason);
    } finally {
      counting.unlockRead(stamp);
    }
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

  /** What is held now, not of one instant with the counts. */
  long heldBytes() {
    return heldBytes.get();
  }

  /** An event that was taken holds so much less from now on. */
  void shrunk(long bytes) {
    heldBytes.addAndGet(-bytes);
  }

  void published(long bytes) {
    long stamp = counting.readLock();
    try {
      heldBytes.addAndGet(-bytes);
      inFlight.decrementAndGet();
      published.incrementAndGet();
    } finally {
      counting.unlockRead(stamp);
    }
  }

  void dropped(long bytes, DropReason reason) {
    long stamp = counting.readLock();
    try {
      heldBytes.addAndGet(-bytes);
      inFlight.decrementAndGet();
      count(reason);
    } finally {
      counting.unlockRead(stamp);
    }
  }

  /** From now on nothing is admitted; returns false when it was closed before. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  PublisherMetrics snapshot() {
    long stamp = counting.tryWriteLock();
    while (stamp == 0) {
      // Not in the lock's queue: those that count would have to wait behind it.
      LockSupport.parkNanos(this, 1_000);
      stamp = counting.tryWriteLock();
    }
    try {
      Map<DropReason, Long> droppedNow = new EnumMap<>(DropReason.class);
      dropped.forEach((reason, count) -> droppedNow.put(reason, count.get()));
      return new Snapshot(
          offered.get(), published.get(), droppedNow, inFlight.get(), heldBytes.get());
    } finally {
      counting.unlockWrite(stamp);
    }
  }

  private record Snapshot(
      long offered,
      long published,
      Map<DropReason, Long> droppedByReason,
      long inFlight,
      long inFlightBytes)
      implements PublisherMetrics {

    private Snapshot {
      droppedByReason = Map.copyOf(droppedByReason);
    }

    @Override
    public long dropped(DropReason reason) {
      return droppedByReason.getOrDefault(reason, 0L);
    }
  }
}
