package io.servedrift.monitors.alert;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.MalformedEventException;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.avro.AlertState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The compacted alerts topic: the latest state of each alert under its key. Stateless. */
final class AlertStateTopic {
  private static final Logger LOG = LoggerFactory.getLogger(AlertStateTopic.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, Object> kafka;
  private final String topic;

  AlertStateTopic(Map<String, Object> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
  }

  /** The record that stores a change; a tombstone where an alert is forgotten. */
  ProducerRecord<byte[], byte[]> record(AlertKey key, Optional<AlertState> state) {
    return new ProducerRecord<>(
        topic,
        state.map(RecordRouting::keyFor).orElseGet(key::canonical).getBytes(StandardCharsets.UTF_8),
        state.map(EventCodec::encode).orElse(null));
  }

  /**
   * Everything stored. Waits for transactions that are open now: one of them may be the last of the
   * process whose work is taken over, and what was committed behind it would be missed.
   *
   * @throws KafkaException when the broker does not answer in time
   */
  List<AlertState> read() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "servedrift-alert-state");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    Map<String, byte[]> latest = new LinkedHashMap<>();
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic, PATIENCE).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = ends(partitions);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!ends.entrySet().stream()
          .allMatch(e -> consumer.position(e.getKey()) >= e.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new TimeoutException(topic + ": its end is not reached; is a transaction stuck?");
        }
        consumer.poll(POLL).forEach(record -> keep(latest, record));
      }
    }
    List<AlertState> states = new ArrayList<>();
    latest.values().forEach(value -> decode(value).ifPresent(states::add));
    return states;
  }

  private static void keep(Map<String, byte[]> latest, ConsumerRecord<byte[], byte[]> record) {
    String key = new String(record.key(), StandardCharsets.UTF_8);
    byte @Nullable [] value = record.value();
    if (value == null) {
      latest.remove(key);
    } else {
      latest.put(key, value);
    }
  }

  private Optional<AlertState> decode(byte[] value) {
    try {
      return EventCodec.decode(value) instanceof AlertState state
          ? Optional.of(state)
          : Optional.empty();
    } catch (MalformedEventException e) {
      LOG.warn("{}: a record is no state of an alert and is passed over", topic, e);
      return Optional.empty();
    }
  }

  /** Where writing goes on, open transactions included. */
  private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    partitions.forEach(partition -> wanted.put(partition, OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    try (Admin admin = Admin.create(kafka)) {
      Map<TopicPartition, ListOffsetsResultInfo> found =
          admin
              .listOffsets(wanted, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
              .all()
              .get();
      found.forEach((partition, info) -> ends.put(partition, info.offset()));
      return ends;
    } catch (ExecutionException e) {
      throw new KafkaException(topic + ": its end is not known", e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
