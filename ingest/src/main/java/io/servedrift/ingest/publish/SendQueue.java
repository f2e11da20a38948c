package io.servedrift.ingest.publish;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent, in order. Its one reader sleeps while there is nothing. Who adds an event
 * does not wake it, as that costs more than all the rest, until a quarter of the room waits: then
 * once, and not again before it sleeps anew. Nobody waits for a lock. Thread-safe.
 */
final class SendQueue {

  private static final int PART_THAT_WAKES = 4;

  private final Queue<EventPublisher.Work> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong unsent = new AtomicLong();
  private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();
  private final long bufferBytes;
  private final Ledger ledger;

  /**
   * An empty queue.
   *
   * @param bufferBytes limit of what is held
   * @param ledger knows what is held, sent or not
   */
  SendQueue(long bufferBytes, Ledger ledger) {
    this.bufferBytes = bufferBytes;
    this.ledger = ledger;
  }

  /** Adds an event. */
  void add(Parcel parcel) {
    long waiting = unsent.addAndGet(parcel.weight());
    queue.add(parcel);
    if (sleeper.get() != null && fills(waiting)) {
      wake();
    }
  }

  /** Adds what somebody waits for. */
  void add(EventPublisher.FlushMark mark) {
    queue.add(mark);
    wake();
  }

  /** Of the room that what was sent, and is not acknowledged yet, leaves. */
  private boolean fills(long waiting) {
    long room = bufferBytes - (ledger.heldBytes() - waiting);
    return PART_THAT_WAKES * waiting >= room;
  }

  /** Wakes the reader, if it sleeps. */
  void wake() {
    Thread asleep = sleeper.getAndSet(null);
    if (asleep != null) {
      LockSupport.unpark(asleep);
    }
  }

  /** The next, or null; for the reader, and for who clears up after it. */
  EventPublisher.@Nullable Work poll() {
    EventPublisher.Work next = queue.poll();
    if (next instanceof Parcel parcel) {
      unsent.addAndGet(-parcel.weight());
    }
    return next;
  }

  /** Until somebody wakes the reader, which calls this, or the time is over. */
  void sleep(Duration longest) {
    sleeper.set(Thread.currentThread());
    // What came before that woke nobody.
    if (queue.isEmpty()) {
      LockSupport.parkNanos(this, longest.toNanos());
    }
    sleeper.set(null);
  }

  /** Whether the reader sleeps and nobody has woken it. */
  boolean asleep() {
    return sleeper.get() != null;
  }
}
