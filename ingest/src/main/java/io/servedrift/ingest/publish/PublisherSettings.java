package io.servedrift.ingest.publish;

import java.time.Duration;
import java.util.Map;

/**
 * How an {@link EventPublisher} works.
 *
 * @param bufferBytes limit of the memory held by events that are not acknowledged yet, 64 KiB or
 *     more
 * @param maxRecordBytes largest encoded event, bytes; the broker's own limit is about 1 MiB
 * @param deliveryTimeout how long an event may wait for the broker's acknowledgement, 1 s or more
 * @param closeTimeout how long {@link EventPublisher#close()} waits for what is in flight
 * @param kafka settings for the Kafka client, {@code bootstrap.servers} among them; they win over
 *     the publisher's own
 */
public record PublisherSettings(
    long bufferBytes,
    int maxRecordBytes,
    Duration deliveryTimeout,
    Duration closeTimeout,
    Map<String, String> kafka) {

  public PublisherSettings {
    kafka = Map.copyOf(kafka);
    if (bufferBytes < 64 * 1024) {
      throw new IllegalArgumentException(
          "publisher bufferBytes=" + bufferBytes + ": must be at least 65536");
    }
    if (maxRecordBytes < 1 || maxRecordBytes > bufferBytes) {
      throw new IllegalArgumentException(
          "publisher maxRecordBytes=" + maxRecordBytes + ": must be between 1 and bufferBytes");
    }
    if (deliveryTimeout.compareTo(Duration.ofSeconds(1)) < 0
        || deliveryTimeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "publisher deliveryTimeout=" + deliveryTimeout + ": must be between 1s and 1h");
    }
    if (closeTimeout.isNegative() || closeTimeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "publisher closeTimeout=" + closeTimeout + ": must be between 0s and 1h");
    }
  }

  /** 32 MiB of buffer, 1,000,000 bytes per event, 10 s to deliver, 10 s to close. */
  public static PublisherSettings defaults(String bootstrapServers) {
    return new PublisherSettings(
        32L * 1024 * 1024,
        1_000_000,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Map.of("bootstrap.servers", bootstrapServers));
  }

  /** The same with another buffer limit. */
  public PublisherSettings withBufferBytes(long bytes) {
    return new PublisherSettings(bytes, maxRecordBytes, deliveryTimeout, closeTimeout, kafka);
  }

  /** The same with another delivery time-out. */
  public PublisherSettings withDeliveryTimeout(Duration timeout) {
    return new PublisherSettings(bufferBytes, maxRecordBytes, timeout, closeTimeout, kafka);
  }

  /** The same with another time to close. */
  public PublisherSettings withCloseTimeout(Duration timeout) {
    return new PublisherSettings(bufferBytes, maxRecordBytes, deliveryTimeout, timeout, kafka);
  }

  /** The same with other settings for the Kafka client. */
  public PublisherSettings withKafka(Map<String, String> settings) {
    return new PublisherSettings(
        bufferBytes, maxRecordBytes, deliveryTimeout, closeTimeout, settings);
  }
}
