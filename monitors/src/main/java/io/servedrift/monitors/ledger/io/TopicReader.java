package io.servedrift.monitors.ledger.io;

import io.servedrift.monitors.archive.BrokerWatch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads what a topic holds now, from its beginning or from a time on. Not thread-safe. */
final class TopicReader {
  private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;

  TopicReader(org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  /**
   * Hands over every record up to the present end.
   *
   * @param from null for the beginning
   * @return whether the topic exists
   */
  boolean read(
      String topic, @Nullable Instant from, Consumer<ConsumerRecord<byte[], byte[]>> into) {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    if (partitions.isEmpty()) {
      return false;
    }
    Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
    Map<TopicPartition, Long> starts = starts(partitions, from);
    consumer.assign(partitions);
    starts.forEach(consumer::seek);
    BrokerWatch watch = new BrokerWatch(consumer);
    List<TopicPartition> open = new ArrayList<>(partitions);
    while (true) {
      open.removeIf(p -> consumer.position(p) >= Objects.requireNonNull(ends.get(p)));
      if (open.isEmpty()) {
        return true;
      }
      watch.poll().forEach(into);
    }
  }

  private Map<TopicPartition, Long> starts(
      List<TopicPartition> partitions, @Nullable Instant from) {
    if (from == null) {
      return consumer.beginningOffsets(partitions);
    }
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, from.toEpochMilli()));
    Map<TopicPartition, Long> starts = new HashMap<>(consumer.endOffsets(partitions));
    for (Map.Entry<TopicPartition, OffsetAndTimestamp> found :
        consumer.offsetsForTimes(times).entrySet()) {
      if (found.getValue() != null) {
        starts.put(found.getKey(), found.getValue().offset());
      }
    }
    return starts;
  }
}
