package io.servedrift.monitors.archive;

import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * Polls a consumer that is expected to find records. A consumer whose broker has gone away returns
 * nothing for ever; after some seconds of nothing this asks the broker something that must be
 * answered. Not thread-safe.
 */
public final class BrokerWatch {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Consumer<byte[], byte[]> consumer;
  private long lastSignOfLife = System.nanoTime();

  /** Watches the broker of this consumer, which stays the caller's to close. */
  public BrokerWatch(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  /**
   * The next records, none when there are none yet.
   *
   * @throws org.apache.kafka.common.errors.TimeoutException when the broker does not answer within
   *     the consumer's {@code default.api.timeout.ms}
   */
  public ConsumerRecords<byte[], byte[]> poll() {
    ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
    long now = System.nanoTime();
    if (!records.isEmpty()) {
      lastSignOfLife = now;
    } else if (now - lastSignOfLife > PATIENCE.toNanos()) {
      consumer.endOffsets(consumer.assignment());
      lastSignOfLife = System.nanoTime();
    }
    return records;
  }
}
