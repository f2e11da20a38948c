package io.servedrift.ingest.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class EventPublisherIT {

  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  @Test
  void deliversEveryEventReadably_whenBrokerIsUp() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
        provisioner.apply(TOPICS);
      }
      int events = 2_000;
      PublisherMetrics end;
      try (EventPublisher publisher =
          new EventPublisher(PublisherSettings.defaults(broker.bootstrapServers()), TOPICS)) {
        for (int i = 0; i < events; i++) {
          assertThat(publisher.offer(TestEvents.request("r-" + i))).isTrue();
        }
        Published last = publisher.publish(TestEvents.request("last")).get(30, TimeUnit.SECONDS);
        assertThat(last.topic()).isEqualTo(TOPICS.requests());
        // A record from the far future must not take the batch of its neighbours with it.
        assertThat(publisher.offer(TestEvents.request("ahead", Instant.now().plusSeconds(86_400))))
            .isTrue();
        assertThat(publisher.offer(TestEvents.request("beside"))).isTrue();
        assertThat(publisher.flush(Duration.ofSeconds(30))).isTrue();
        end = publisher.metrics();
      }

      assertThat(end.published()).isEqualTo(events + 3);
      assertThat(end.dropped()).isZero();
      List<String> ids = readIds(kafka, events + 3);
      assertThat(ids).hasSize(events + 3).doesNotHaveDuplicates().contains("last", "ahead");
    }
  }

  @Test
  void dropsAsBrokerErrorInBoundedTime_whenNoBrokerListens() {
    try (EventPublisher publisher =
        new EventPublisher(
            PublisherSettings.defaults("127.0.0.1:1")
                .withDeliveryTimeout(Duration.ofSeconds(1))
                .withCloseTimeout(Duration.ofSeconds(1)),
            TOPICS)) {
      assertThatThrownBy(
              () -> publisher.publish(TestEvents.request("r-1")).get(30, TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              EventDroppedException.class,
              e -> assertThat(e.reason()).isEqualTo(DropReason.BROKER_ERROR));
    }
  }

  private static List<String> readIds(Map<String, Object> kafka, int wanted) {
    List<String> ids = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(TOPICS.requests()).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Instant deadline = Instant.now().plusSeconds(30);
      while (ids.size() < wanted && Instant.now().isBefore(deadline)) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          ids.add(((RequestEvent) EventCodec.decode(record.value())).getRequestId());
        }
      }
    }
    return ids;
  }
}
