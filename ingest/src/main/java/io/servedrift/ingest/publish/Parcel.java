package io.servedrift.ingest.publish;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One event on its way: taken by one, who sends or drops it, and settled exactly once. Thread-safe.
 */
final class Parcel implements EventPublisher.Work {

  private static final long SETTLED = -1;

  private final long weight;
  private final AtomicLong bytes;
  private final long deadlineNanos;
  private final @Nullable CompletableFuture<Published> fate;
  private final AtomicBoolean taken = new AtomicBoolean();
  private volatile @Nullable Supplier<ProducerRecord<byte[], byte[]>> content;

  /**
   * An event that was taken.
   *
   * @param content makes Kafka's record of it
   * @param bytes of the buffer that it holds
   * @param deadlineNanos when it is given up
   * @param fate is told what became of it
   */
  Parcel(
      Supplier<ProducerRecord<byte[], byte[]>> content,
      long bytes,
      long deadlineNanos,
      @Nullable CompletableFuture<Published> fate) {
    this.content = content;
    this.weight = bytes;
    this.bytes = new AtomicLong(bytes);
    this.deadlineNanos = deadlineNanos;
    this.fate = fate;
  }

  /** The bytes that it held at first. */
  long weight() {
    return weight;
  }

  /** Whether it is the caller's from now on, to be sent or dropped; true once. */
  boolean take() {
    return taken.compareAndSet(false, true);
  }

  /**
   * Kafka's record; the event is held no longer. To be called once, by who took it.
   *
   * @throws EventDroppedException when it cannot be encoded, or is too large
   */
  ProducerRecord<byte[], byte[]> unpack() {
    Supplier<ProducerRecord<byte[], byte[]>> packed = content;
    if (packed == null) {
      throw new IllegalStateException("the event was unpacked before");
    }
    content = null;
    return packed.get();
  }

  boolean late(long nowNanos) {
    return nowNanos - deadlineNanos > 0;
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
