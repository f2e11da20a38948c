package io.servedrift.monitors.page;

import static io.servedrift.monitors.page.Fixtures.FIVE;
import static io.servedrift.monitors.page.Fixtures.T0;
import static io.servedrift.monitors.page.Fixtures.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.monitors.alert.DataWatch;
import io.servedrift.monitors.alert.MissingData;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Tick;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ReadModelConsumerIT {
  private static final String CONFIG = "{\"runtime\":{\"name\":\"sglang\"}}";

  private static EmbeddedBroker broker;
  private static Map<String, Object> kafka;

  private final ReadModel model = new ReadModel(ReadModelLimits.defaults());
  private final DataWatch watch = Fixtures.watch();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startTemporary();
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private static void provision(Topics topics) {
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      provisioner.apply(topics);
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(String transactionalId) {
    Map<String, Object> settings = new HashMap<>(kafka);
    if (transactionalId != null) {
      settings.put("transactional.id", transactionalId);
    }
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, String topic, byte[] value)
      throws Exception {
    byte[] key = "image-gen".getBytes(StandardCharsets.UTF_8);
    producer.send(new ProducerRecord<>(topic, key, value)).get(10, TimeUnit.SECONDS);
  }

  @Test
  void readsCommittedRecordsOfAllTopics_whenTheyAppear() throws Exception {
    Topics topics = new Topics("page-a");
    String configId = ConfigFingerprint.ofConfig(new ObjectMapper().readTree(CONFIG)).id();
    try (ReadModelConsumer consumer =
        ReadModelConsumer.start(kafka, topics, model, new EventReader(), watch)) {
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> consumer.check().detail().startsWith("topics missing: page-a-configs-v1"));
      assertThat(consumer.check().ready()).isFalse();
      provision(topics);
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      try (var producer = producer("page-a-tx")) {
        producer.initTransactions();
        producer.beginTransaction();
        send(
            producer,
            topics.windows(),
            EventCodec.encode(Fixtures.window(key("c1", "latency"), T0, 10)));
        producer.commitTransaction();
        producer.beginTransaction();
        send(
            producer,
            topics.windows(),
            EventCodec.encode(Fixtures.window(key("undone", "latency"), T0, 10)));
        producer.abortTransaction();
        producer.beginTransaction();
        send(producer, topics.windows(), EventCodec.encode(Fixtures.lateRequest("c1", T0)));
        String config =
            "{\"type\":\"config\",\"at\":\"2026-11-30T10:00:00Z\",\"deployment\":\"image-gen\",\"config\":"
                + CONFIG
                + "}";
        send(producer, topics.configs(), config.getBytes(StandardCharsets.UTF_8));
        // Its id is not the fingerprint of what it says.
        send(producer, topics.configs(), EventCodec.encode(Fixtures.config("c1", CONFIG)));
        String event = EventJson.write(Fixtures.event("e1", T0, ServingEventKind.DEPLOY));
        send(producer, topics.servingEvents(), event.getBytes(StandardCharsets.UTF_8));
        send(producer, topics.findings(), new byte[] {1, 2, 3});
        producer.commitTransaction();
      }
      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(
              () -> {
                assertThat(model.latest(FIVE))
                    .singleElement()
                    .extracting(w -> w.series().configId())
                    .isEqualTo("c1");
                assertThat(model.corrections(key("c1", "latency"), T0, T0.plus(FIVE))).isEqualTo(1);
                assertThat(model.configs()).containsOnlyKeys(configId);
                assertThat(model.servingEvents()).hasSize(1);
                assertThat(model.ignored()).containsEntry("undecodable", 2L);
              });
    }
  }

  @Test
  void isReadyOnlyWithEverything_whenTopicsAlreadyHoldRecords() throws Exception {
    Topics topics = new Topics("page-b");
    provision(topics);
    int windows = 280;
    try (var producer = producer("page-b-tx")) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < windows; i++) {
        send(
            producer,
            topics.windows(),
            EventCodec.encode(
                Fixtures.window(key("c1", "latency"), T0.plus(FIVE.multipliedBy(i)), 10)));
      }
      producer.commitTransaction();
    }
    try (ReadModelConsumer consumer =
        ReadModelConsumer.start(kafka, topics, model, new EventReader(), watch)) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());
      assertThat(model.windows(FIVE, k -> true, null, null).get(key("c1", "latency")))
          .hasSize(windows);
    }
  }

  @Test
  void tellsTheWatchWhatIsMissing_fromTheWindowsTopic() throws Exception {
    Topics topics = new Topics("page-c");
    provision(topics);
    SeriesKey requests = new SeriesKey("image-gen", SeriesKey.ALL, SeriesKey.ALL, "error_ratio");
    Instant silentAt = T0.plus(Duration.ofHours(2));
    double[] values = new double[100];
    try (var producer = producer(null)) {
      for (Instant start = T0; start.isBefore(silentAt); start = start.plus(FIVE)) {
        send(
            producer,
            topics.windows(),
            EventCodec.encode(Fixtures.window(requests, start, FIVE, values)));
      }
      Instant heartbeat = silentAt.plusSeconds(600);
      send(
          producer,
          topics.windows(),
          EventCodec.encode(new Heartbeat(heartbeat, "image-gen", "gpu-0", null, null)));
      int partitions = producer.partitionsFor(topics.windows()).size();
      for (int partition = 0; partition < partitions; partition++) {
        Tick tick = new Tick(silentAt.plusSeconds(900 + 60L * partition));
        producer
            .send(new ProducerRecord<>(topics.windows(), partition, null, EventCodec.encode(tick)))
            .get(10, TimeUnit.SECONDS);
      }
    }
    try (ReadModelConsumer consumer =
        ReadModelConsumer.start(kafka, topics, model, new EventReader(), watch)) {
      await().atMost(20, TimeUnit.SECONDS).until(() -> consumer.check().ready());

      assertThat(watch.closedThrough()).contains(silentAt.plusSeconds(900));
      assertThat(watch.check())
          .extracting(MissingData::metric, MissingData::kind, MissingData::since)
          .containsExactly(tuple(MissingData.ALL, MissingData.Kind.NO_TRAFFIC, silentAt));
      assertThat(model.ignored()).isEmpty();
    }
  }
}
