package io.servedrift.monitors.cli;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what the findings topic holds now. */
final class FindingsTopic {
  private static final Duration POLL = Duration.ofMillis(500);

  private FindingsTopic() {}

  /** The findings that are wanted, in the order in which they were written. */
  static List<Finding> read(BrokerConnection broker, Topics topics, Predicate<Finding> wanted) {
    Map<String, Object> settings = new HashMap<>(broker.kafka());
    settings.put("isolation.level", "read_committed");
    settings.put("enable.auto.commit", false);
    settings.put("allow.auto.create.topics", false);
    settings.putIfAbsent("default.api.timeout.ms", 15_000);
    List<Finding> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topics.findings()).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (decoded(record.value()) instanceof Finding finding && wanted.test(finding)) {
            found.add(finding);
          }
        }
      }
    }
    return found;
  }

  private static Object decoded(byte[] value) {
    try {
      return EventCodec.decode(value);
    } catch (MalformedEventException e) {
      // Something else on this topic is not a finding; who wants findings passes over it.
      return value;
    }
  }
}
