package io.servedrift.ingest.publish;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** One event on its way, settled exactly once. Thread-safe, but for {@link #takeEvent}. */
final class Parcel implements EventPublisher.Work {

  private static final long SETTLED = -1;

  private final AtomicLong bytes;
  private final long deadlineNanos;
  private final @Nullable CompletableFuture<Published> fate;
  private @Nullable SpecificRecord event;

  /**
   * An event that was taken.
   *
   * @param bytes of the buffer that it holds
   * @param deadlineNanos when it is given up
   * @param fate is told what became of it
   */
  Parcel(
      SpecificRecord event,
      long bytes,
      long deadlineNanos,
      @Nullable CompletableFuture<Published> fate) {
    this.event = event;
    this.bytes = new AtomicLong(bytes);
    this.deadlineNanos = deadlineNanos;
    this.fate = fate;
  }

  /** The event, for who encodes it; it is held no longer. To be called once, by one thread. */
  SpecificRecord takeEvent() {
    SpecificRecord taken = event;
    if (taken == null) {
      throw new IllegalStateException("the event was taken before");
    }
    event = null;
    return taken;
  }

  boolean late(long nowNanos) {
    return nowNanos - deadlineNanos > 0;
  }

  boolean isSettled() {
    return bytes.get() == SETTLED;
  }

  /** Holds only so many bytes from now on; returns how many less, 0 when it is not fewer. */
  long shrinkTo(long fewer) {
    long held = bytes.get();
    return held > fewer && bytes.compareAndSet(held, fewer) ? held - fewer : 0;
  }

  /** Its fate is decided; returns the bytes it held, negative when it was decided before. */
  long settle() {
    return bytes.getAndSet(SETTLED);
  }

  void arrived(Published where) {
    if (fate != null) {
      fate.complete(where);
    }
  }

  void failed(EventDroppedException why) {
    if (fate != null) {
      fate.completeExceptionally(why);
    }
  }
}
