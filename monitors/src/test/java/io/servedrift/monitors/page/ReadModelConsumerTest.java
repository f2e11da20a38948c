package io.servedrift.monitors.page;

import static io.servedrift.monitors.page.Fixtures.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.ReadLimits;
import io.servedrift.schemas.SchemaRegistry;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadModelConsumerTest {
  private static final Topics TOPICS = new Topics("t");
  private static final int KNOWN = 7;
  private static final SchemaRegistry REGISTRY =
      id -> {
        if (id == KNOWN) {
          return ServingEvent.getClassSchema();
        }
        throw new IllegalStateException("a defect in the registry client");
      };

  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());

  private static MockConsumer<byte[], byte[]> broker(List<byte[]> servingEvents) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    for (String topic :
        List.of(
            TOPICS.configs(),
            TOPICS.windows(),
            TOPICS.findings(),
            TOPICS.servingEvents(),
            TOPICS.deadLetters())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.updatePartitions(topic, List.of(new PartitionInfo(topic, 0, null, null, null)));
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      boolean events = topic.equals(TOPICS.servingEvents());
      consumer.updateEndOffsets(Map.of(partition, events ? (long) servingEvents.size() : 0L));
    }
    consumer.schedulePollTask(
        () -> {
          for (int i = 0; i < servingEvents.size(); i++) {
            consumer.addRecord(
                new ConsumerRecord<>(
                    TOPICS.servingEvents(), 0, i, new byte[0], servingEvents.get(i)));
          }
        });
    return consumer;
  }

  private ReadModelConsumer start(List<MockConsumer<byte[], byte[]>> connections) {
    Queue<Consumer<byte[], byte[]>> left = new ArrayDeque<>(connections);
    return ReadModelConsumer.start(
        left::remove,
        TOPICS,
        model,
        new EventReader(ReadLimits.DEFAULT, REGISTRY),
        Fixtures.watch());
  }

  private static ServingEvent event(String id) {
    return Fixtures.event(id, T0, ServingEventKind.DEPLOY);
  }

  private static byte[] registryFramed(int schemaId, ServingEvent event) {
    byte[] encoded = EventCodec.encode(event);
    int header = 10; // of the single-object encoding
    return ByteBuffer.allocate(5 + encoded.length - header)
        .put((byte) 0)
        .putInt(schemaId)
        .put(encoded, header, encoded.length - header)
        .array();
  }

  @Test
  void takesWhatTheMonitorTakes_whenOthersWriteServingEvents() {
    ServingEvent invalid = event("x".repeat(1000));
    try (ReadModelConsumer consumer =
        start(
            List.of(
                broker(List.of(registryFramed(KNOWN, event("e1")), EventCodec.encode(invalid)))))) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      assertThat(model.servingEvents()).extracting(ServingEvent::getEventId).containsExactly("e1");
      assertThat(model.ignored()).containsOnly(Map.entry("undecodable", 1L));
    }
  }

  @Test
  void countsAndGoesOn_whenARecordCannotBeTaken() {
    try (ReadModelConsumer consumer =
        start(
            List.of(
                broker(List.of(registryFramed(1, event("e1")), EventCodec.encode(event("e2"))))))) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      assertThat(model.servingEvents()).extracting(ServingEvent::getEventId).containsExactly("e2");
      assertThat(model.ignored()).containsOnly(Map.entry("failed", 1L));
    }
  }

  @Test
  void connectsAnew_whenTheClientFailsInAnyWay() {
    MockConsumer<byte[], byte[]> broken = new MockConsumer<>("earliest");
    broken.close();
    try (ReadModelConsumer consumer =
        start(List.of(broken, broker(List.of(EventCodec.encode(event("e1"))))))) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      assertThat(model.servingEvents()).hasSize(1);
    }
  }

  @Test
  void keepsToItsProtocol_whateverThatOfTheTopologyIs() {
    try (ReadModelConsumer consumer =
        ReadModelConsumer.start(
            Map.of("bootstrap.servers", "127.0.0.1:1", "group.protocol", "streams"),
            TOPICS,
            model,
            new EventReader(ReadLimits.DEFAULT, REGISTRY),
            Fixtures.watch())) {
      await()
          .atMost(40, TimeUnit.SECONDS)
          .until(() -> !consumer.check().detail().equals("starting"));
      assertThat(consumer.check().detail()).isEqualTo("reading failed: TimeoutException");
    }
  }

  @Test
  void isNotReadyAnyMore_whenItsThreadHasEnded() {
    MockConsumer<byte[], byte[]> connection = broker(List.of());
    try (ReadModelConsumer consumer = start(List.of(connection))) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      connection.schedulePollTask(
          () -> {
            throw new NoClassDefFoundError("a class of a broken installation");
          });
      await().atMost(20, TimeUnit.SECONDS).until(() -> !consumer.check().ready());
      assertThat(consumer.check().detail()).isEqualTo("its thread has ended");
    }
  }
}
