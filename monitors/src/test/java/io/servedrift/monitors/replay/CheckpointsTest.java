package io.servedrift.monitors.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.judge.CheckpointPart;
import io.servedrift.schemas.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class CheckpointsTest {
  private static final Topics TOPICS = new Topics("test");
  private static final TopicPartition PARTITION = new TopicPartition(TOPICS.judgeState(), 0);
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

  /** One partition that holds {@link #records}, which the mock forgets when they are polled. */
  private final class OnePartition extends MockConsumer<byte[], byte[]> {
    OnePartition() {
      super("earliest");
      Node node = new Node(0, "localhost", 9092);
      Node[] nodes = {node};
      updatePartitions(
          PARTITION.topic(),
          List.of(new PartitionInfo(PARTITION.topic(), PARTITION.partition(), node, nodes, nodes)));
      updateBeginningOffsets(Map.of(PARTITION, 0L));
      updateEndOffsets(Map.of(PARTITION, (long) records.size()));
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times) {
      records.forEach(this::addRecord);
      Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>();
      times.forEach(
          (partition, time) ->
              records.stream()
                  .filter(record -> record.timestamp() >= time)
                  .min(Comparator.comparingLong(ConsumerRecord::offset))
                  .ifPresent(
                      record ->
                          found.put(
                              partition,
                              new OffsetAndTimestamp(record.offset(), record.timestamp()))));
      return found;
    }
  }

  private void written(String deployment, Duration ago) {
    long millis = NOW.minus(ago).toEpochMilli();
    for (CheckpointPart part : CheckpointPart.cut(deployment, millis * 1000, new byte[] {1})) {
      byte[] value = part.encode();
      records.add(
          new ConsumerRecord<>(
              PARTITION.topic(),
              PARTITION.partition(),
              records.size(),
              millis,
              TimestampType.CREATE_TIME,
              part.key().length,
              value.length,
              part.key(),
              value,
              new RecordHeaders(),
              Optional.empty()));
    }
  }

  private Map<String, Instant> newest(Duration ago) {
    try (OnePartition consumer = new OnePartition()) {
      return Checkpoints.newest(consumer, TOPICS, NOW.minus(ago)).times();
    }
  }

  @Test
  void findsTheOlderCheckpointOfADeploymentThatWasSilentForHours() {
    written("long-gone", Duration.ofDays(3));
    written("silent", Duration.ofHours(9));
    Stream.of(3, 2, 1, 0).forEach(hours -> written("busy", Duration.ofHours(hours)));
    assertThat(newest(Duration.ofMinutes(30)))
        .containsOnlyKeys("silent", "busy")
        .containsEntry("silent", NOW.minus(Duration.ofHours(9)))
        .containsEntry("busy", NOW.minus(Duration.ofHours(1)));
  }

  @Test
  void looksFurtherBack_whenThereIsNoneOfADay() {
    written("long-gone", Duration.ofDays(3));
    written("busy", Duration.ofHours(0));
    assertThat(newest(Duration.ofHours(1)))
        .isEqualTo(Map.of("long-gone", NOW.minus(Duration.ofDays(3))));
    assertThat(newest(Duration.ofDays(4))).isEmpty();
  }
}
