package io.servedrift.monitors.archive;

import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Records as a consumer gives them. */
final class Records {
  private Records() {}

  static ConsumerRecord<byte[], byte[]> record(
      String topic, int partition, long offset, Instant at, byte[] value) {
    return new ConsumerRecord<>(
        topic,
        partition,
        offset,
        at.toEpochMilli(),
        TimestampType.CREATE_TIME,
        ConsumerRecord.NULL_SIZE,
        value == null ? ConsumerRecord.NULL_SIZE : value.length,
        null,
        value,
        new RecordHeaders(),
        Optional.empty());
  }
}
