package io.servedrift.ingest.publish;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Makes Kafka's record of an event: topic, key, time stamp, Avro single object.
 *
 * <p>The record timestamp is the event time, but never more than {@value #MAX_AHEAD_MINUTES}
 * minutes ahead of this machine's clock: a broker refuses a whole batch for one record from the far
 * future. The event itself keeps its time.
 */
final class RecordEncoder {

  private static final int MAX_AHEAD_MINUTES = 30;

  private final Topics topics;
  private final int maxBytes;
  private final Clock clock;

  RecordEncoder(Topics topics, int maxBytes, Clock clock) {
    this.topics = topics;
    this.maxBytes = maxBytes;
    this.clock = clock;
  }

  /**
   * Encodes an event.
   *
   * @throws EventDroppedException when it cannot be encoded, or is too large
   */
  ProducerRecord<byte[], byte[]> encode(SpecificRecord event) {
    ProducerRecord<byte[], byte[]> record;
    try {
      record =
          new ProducerRecord<>(
              RecordRouting.topicFor(event, topics),
              null,
              timestamp(event),
              RecordRouting.keyFor(event).getBytes(StandardCharsets.UTF_8),
              EventCodec.encode(event));
    } catch (RuntimeException | Error e) {
      throw new EventDroppedException(
          DropReason.ENCODE_ERROR,
          event.getSchema().getName() + " cannot be encoded: " + text(e),
          e);
    }
    int bytes = record.value().length;
    if (bytes > maxBytes) {
      throw new EventDroppedException(
          DropReason.TOO_LARGE,
          event.getSchema().getName() + " of " + bytes + " bytes: at most " + maxBytes,
          null);
    }
    return record;
  }

  private static String text(Throwable e) {
    return e instanceof Error ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
  }

  private long timestamp(SpecificRecord event) {
    long latest = clock.millis() + TimeUnit.MINUTES.toMillis(MAX_AHEAD_MINUTES);
    return Math.max(0, Math.min(EventTimes.of(event).toEpochMilli(), latest));
  }
}
