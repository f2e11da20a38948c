package io.servedrift.monitors.bench;

import io.servedrift.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the topics of a bench: every phase gets the same records through the same client. */
final class BenchInput {
  private final Map<String, Object> kafka;
  private final Topics topics;

  /**
   * @param kafka where the broker is
   * @param topics filled by {@link BenchTopics}
   */
  BenchInput(Map<String, Object> kafka, Topics topics) {
    this.kafka = kafka;
    this.topics = topics;
  }

  /** A consumer with the fetch sizes of a replay. */
  KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> config = new HashMap<>(kafka);
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000);
    config.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 131_072);
    config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 * 1024 * 1024);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Polls all records of the three topics that a replay reads.
   *
   * @param work done to each
   * @return how many there are
   */
  long read(Consumer<ConsumerRecord<byte[], byte[]>> work) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> all = new ArrayList<>();
      for (String topic : List.of(topics.requests(), topics.scores(), topics.servingEvents())) {
        consumer
            .partitionsFor(topic)
            .forEach(info -> all.add(new TopicPartition(topic, info.partition())));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long expected = consumer.endOffsets(all).values().stream().mapToLong(Long::longValue).sum();
      long seen = 0;
      while (seen < expected) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          work.accept(record);
          seen++;
        }
      }
      return seen;
    }
  }
}
