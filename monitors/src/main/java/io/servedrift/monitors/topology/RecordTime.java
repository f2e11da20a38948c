package io.servedrift.monitors.topology;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * Takes the record timestamp as it is, never negative. It only steers which buffered record is read
 * next: what counts where is decided by the event time inside the record, so a wrong timestamp can
 * neither lose nor move anything.
 */
final class RecordTime implements TimestampExtractor {
  @Override
  public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
    return Math.max(0, record.timestamp());
  }
}
