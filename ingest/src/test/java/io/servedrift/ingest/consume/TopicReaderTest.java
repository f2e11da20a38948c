package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterOutput;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.adapters.UnfitSourceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopicReaderTest {
  private static final TopicPartition ZERO = new TopicPartition("t", 0);
  private static final TopicPartition TEN = new TopicPartition("t", 10);
  private static final Instant NOW = Instant.parse("2026-09-20T10:00:00Z");

  /** Takes so many characters of metadata. */
  private static final class Broker extends MockConsumer<byte[], byte[]> {
    int characters = 4_096;
    final List<Map<TopicPartition, OffsetAndMetadata>> commits = new ArrayList<>();

    Broker() {
      super("none");
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
      commits.add(offsets);
      if (offsets.values().stream().anyMatch(o -> o.metadata().length() > characters)) {
        throw new OffsetMetadataTooLarge("too large");
      }
      super.commitSync(offsets, timeout);
    }
  }

  /** Holds these records of partition 0. */
  private record Holding(List<Long> offsets) implements Adapter {
    @Override
    public void take(SourceLine line, AdapterOutput out) {}

    @Override
    public void held(Consumer<SourceLine> each) {
      offsets.forEach(offset -> each.accept(new SourceLine(new byte[0], 0, offset)));
    }
  }

  private final Broker consumer = new Broker();
  private final TopicReader reader =
      new TopicReader(
          new SourceTopic("t", "g", false, true, 1_000, Map.of()),
          consumer,
          Clock.fixed(NOW, ZoneOffset.UTC));

  @BeforeEach
  void topic() {
    Node node = new Node(0, "h", 1);
    Node[] nodes = {node};
    consumer.updatePartitions(
        "t",
        List.of(
            new PartitionInfo("t", 0, node, nodes, nodes),
            new PartitionInfo("t", 10, node, nodes, nodes)));
    consumer.updateBeginningOffsets(Map.of(ZERO, 0L, TEN, 0L));
    consumer.updateEndOffsets(Map.of(ZERO, 100L, TEN, 100L));
  }

  private static ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset) {
    return new ConsumerRecord<>(partition.topic(), partition.partition(), offset, null, null);
  }

  private List<ConsumerRecord<byte[], byte[]>> poll(int waiting) {
    return reader.poll(Duration.ZERO, waiting);
  }

  @Test
  void letsPartitionsComeUp_whenManyWait() throws UnfitSourceException {
    reader.begin();
    consumer.addRecord(
        new ConsumerRecord<>(
            "t",
            0,
            0,
            NOW.toEpochMilli(),
            TimestampType.CREATE_TIME,
            0,
            1,
            null,
            new byte[1],
            new RecordHeaders(),
            Optional.empty()));
    assertThat(poll(0)).hasSize(1);
    assertThat(consumer.paused()).isEmpty();

    poll(5_001);
    assertThat(consumer.paused()).containsExactly(ZERO);
    poll(5_000);
    assertThat(consumer.paused()).isEmpty();
  }

  @Test
  void passesOverARecordThatCannotBeRead_onceItWasTriedAgain() throws UnfitSourceException {
    reader.begin();
    KafkaException damaged =
        new KafkaException(
            "Received exception when fetching the next record from t-10. If needed, please seek"
                + " past the record to continue consumption.",
            new CorruptRecordException("Record batch is corrupt"));
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(reader.unread()).isEmpty();
      assertThat(consumer.position(TEN)).isZero();
      consumer.setPollException(damaged);
      assertThat(poll(0)).isEmpty();
    }

    assertThat(reader.unread()).containsExactly(new UnreadRecord(TEN, 0, "CorruptRecordException"));
    assertThat(consumer.position(TEN)).isEqualTo(1);
    assertThat(consumer.position(ZERO)).isZero();
    consumer.setPollException(new TopicAuthorizationException(Set.of("t-10")));
    assertThatThrownBy(() -> poll(0)).isInstanceOf(TopicAuthorizationException.class);
  }

  @Test
  void goesOnWhereTheLogWasCut_andTakesUpNothingAgain() throws UnfitSourceException {
    consumer.assign(List.of(ZERO, TEN));
    consumer.commitSync(Map.of(ZERO, new OffsetAndMetadata(50, "servedrift-1:60:0:AA")));
    reader.begin();
    consumer.setPollException(
        new LogTruncationException(Map.of(ZERO, 60L), Map.of(ZERO, new OffsetAndMetadata(57))));
    poll(0);

    assertThat(consumer.position(ZERO)).isEqualTo(57);
    consumer.addRecord(record(ZERO, 57));
    assertThat(poll(0)).hasSize(1);
  }

  @Test
  void beginsAnew_whenThePlaceLiesBeyondTheEnd() throws UnfitSourceException {
    consumer.assign(List.of(ZERO, TEN));
    consumer.commitSync(Map.of(ZERO, new OffsetAndMetadata(150, "servedrift-1:160:0:AA")));
    reader.begin();
    consumer.setPollException(new OffsetOutOfRangeException(Map.of(ZERO, 150L)));
    poll(0);

    assertThat(consumer.position(ZERO)).isZero();
    consumer.addRecord(record(ZERO, 0));
    assertThat(poll(0)).hasSize(1);
  }

  @Test
  void commitsLessAtOnce_whenTheBrokerTakesNoMore() throws UnfitSourceException {
    reader.begin();
    consumer.seek(ZERO, 100_000);
    consumer.characters = 600;
    List<Long> held = LongStream.range(0, 2_000).mapToObj(i -> i * 50).toList();
    reader.commit(new Holding(held), true);

    assertThat(consumer.commits).hasSize(4);
    OffsetAndMetadata committed = consumer.committed(Set.of(ZERO)).get(ZERO);
    assertThat(committed.metadata()).hasSizeBetween(400, 600);
    TopicPlace place = TopicPlace.of(committed);
    assertThat(place.unnamed()).isEqualTo(2_000 - place.held().size()).isPositive();
    assertThat(
            new TopicReader(
                    new SourceTopic("t", "g", false, true, 1_000, Map.of()),
                    consumer,
                    Clock.fixed(NOW, ZoneOffset.UTC))
                .begin())
        .as("told at the next start")
        .isEqualTo(place.unnamed());

    consumer.characters = 10;
    assertThatThrownBy(() -> reader.commit(new Holding(List.of(99_999L)), true))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("offset.metadata.max.bytes");
  }
}
