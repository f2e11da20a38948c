package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what a node published, as a monitor would, from the beginning on. Not thread-safe. */
final class EventTopics implements AutoCloseable {

  static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final EventReader reader = new EventReader();
  private final List<SpecificRecord> events = new ArrayList<>();

  EventTopics(String bootstrapServers) {
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        Stream.of(TOPICS.requests(), TOPICS.scores(), TOPICS.servingEvents(), TOPICS.configs())
            .flatMap(topic -> consumer.partitionsFor(topic).stream())
            .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** The events of one type so far, once there are those that are wanted. */
  <T> List<T> await(Class<T> type, Predicate<List<T>> wanted) {
    Instant deadline = Instant.now().plusSeconds(60);
    while (Instant.now().isBefore(deadline)) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
        Reading reading = reader.read(record.value());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        events.add(((Reading.Accepted) reading).event());
      }
      List<T> found = events.stream().filter(type::isInstance).map(type::cast).toList();
      if (wanted.test(found)) {
        return found;
      }
    }
    throw new AssertionError("not published: " + type.getSimpleName() + ", only " + events);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
