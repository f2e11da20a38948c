package io.servedrift.ingest.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TopicFollowerIT {
  private static final int MOST_BYTES = 10_000;
  private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";
  private static final AdapterSettings OPEN =
      new AdapterSettings(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional::empty);

  private static EmbeddedBroker broker;
  private static KafkaProducer<byte[], byte[]> producer;

  private final Sink sink = new Sink();
  private final Instant start = Instant.now().minusSeconds(7_200).truncatedTo(ChronoUnit.SECONDS);
  private Instant now = start;
  private String topic;

  /** Acknowledges everything, unless it is told to refuse. */
  private static final class Sink implements EventSink {
    final List<SpecificRecord> events = new ArrayList<>();
    boolean refuses;

    @Override
    public boolean offer(SpecificRecord event) {
      throw new UnsupportedOperationException("every event must be acknowledged");
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      if (refuses) {
        return CompletableFuture.failedFuture(
            new EventDroppedException(DropReason.BROKER_ERROR, "away", null));
      }
      events.add(event);
      return CompletableFuture.completedFuture(new Published("t", 0, 0));
    }

    List<String> ids() {
      return requests().stream().map(RequestEvent::getRequestId).toList();
    }

    List<RequestEvent> requests() {
      return events.stream()
          .filter(RequestEvent.class::isInstance)
          .map(RequestEvent.class::cast)
          .toList();
    }

    List<DeadLetter> letters() {
      return events.stream()
          .filter(DeadLetter.class::isInstance)
          .map(DeadLetter.class::cast)
          .toList();
    }
  }

  private final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return now;
        }
      };

  @BeforeAll
  static void open() {
    broker = EmbeddedBroker.startTemporary();
    producer = new KafkaProducer<>(kafka(), new ByteArraySerializer(), new ByteArraySerializer());
  }

  @AfterAll
  static void close() {
    producer.close();
    broker.close();
  }

  private static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  @BeforeEach
  void create(TestInfo test) throws Exception {
    topic = test.getTestMethod().orElseThrow().getName();
    try (Admin admin = Admin.create(kafka())) {
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    }
  }

  private TopicFollower follower(boolean fromEnd) throws UnfitSourceException {
    return follower(topic, fromEnd);
  }

  private TopicFollower follower(String name, boolean fromEnd) throws UnfitSourceException {
    SourceTopic source =
        new SourceTopic(
            name,
            "import-" + topic,
            fromEnd,
            true,
            MOST_BYTES,
            Map.of("bootstrap.servers", broker.bootstrapServers()));
    return TopicFollower.open(source, AdapterFormat.KSERVE.open(OPEN), sink, clock);
  }

  private void send(int partition, Map<String, String> headers, @Nullable String value)
      throws Exception {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic,
            partition,
            start.toEpochMilli(),
            null,
            value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    headers.forEach(
        (name, text) ->
            record.headers().add(new RecordHeader(name, text.getBytes(StandardCharsets.UTF_8))));
    producer.send(record).get();
  }

  private void binary(int partition, String id, String kind, int second, String body)
      throws Exception {
    send(
        partition,
        Map.of(
            "ce_specversion",
            "1.0",
            "ce_id",
            id,
            "ce_type",
            "org.kubeflow.serving.inference." + kind,
            "ce_time",
            start.plusSeconds(second).toString(),
            "ce_inferenceservicename",
            "s",
            "content-type",
            "application/json"),
        body);
  }

  private void structured(int partition, String id, String kind, int second) throws Exception {
    send(
        partition,
        Map.of("Content-Type", STRUCTURED),
        ("{\"specversion\":\"1.0\",\"id\":\"%s\",\"type\":\"org.kubeflow.serving.inference.%s\","
                + "\"time\":\"%s\",\"inferenceservicename\":\"s\",\"data\":{}}")
            .formatted(id, kind, start.plusSeconds(second)));
  }

  private void step(TopicFollower follower) throws UnfitSourceException {
    follower.step(() -> sink.refuses, () -> {});
    now = now.plusSeconds(6);
  }

  private void steps(TopicFollower follower, BooleanSupplier done) throws UnfitSourceException {
    Instant deadline = Instant.now().plusSeconds(60);
    while (!done.getAsBoolean()) {
      assertThat(Instant.now()).as("published: " + sink.ids()).isBefore(deadline);
      step(follower);
    }
    step(follower);
  }

  @Test
  void pairsBinaryAndStructuredEvents_whereverTheyStand() throws Exception {
    binary(0, "b", "request", 1, "{\"size\":\"512x256\"}");
    binary(1, "b", "response", 3, "{\"model\":\"m\",\"inference_time_s\":1.5}");
    structured(1, "s", "response", 9);
    structured(0, "s", "request", 4);

    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> sink.ids().size() == 2);
      assertThat(follower.counts().lines()).isEqualTo(4);
      assertThat(follower.counts().rejected()).isEmpty();
    }

    assertThat(sink.ids()).containsExactlyInAnyOrder("b", "s");
    RequestEvent made =
        sink.requests().stream()
            .filter(r -> r.getRequestId().equals("b"))
            .findFirst()
            .orElseThrow();
    assertThat(made.getLatencySeconds()).isEqualTo(2.0);
    assertThat(made.getInferenceSeconds()).isEqualTo(1.5);
    assertThat(made.getWorkload().getWidth()).isEqualTo(512);
  }

  @Test
  void pairsWithAPartnerThatComesAfterAKill_andTakesUpNothingElseAgain() throws Exception {
    binary(0, "waits", "request", 1, "{}");
    binary(0, "done", "request", 2, "{}");
    binary(1, "done", "response", 3, "{}");
    binary(0, "late", "request", 4, "{}");
    try (TopicFollower killed = follower(false)) {
      steps(killed, () -> sink.ids().size() == 1 && killed.counts().lines() == 4);
    }
    assertThat(sink.ids()).containsExactly("done");

    try (TopicFollower killed = follower(false)) {
      steps(killed, () -> killed.counts().lines() == 2);
    }
    binary(1, "waits", "response", 30, "{}");
    binary(1, "late", "response", 40, "{}");
    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> sink.ids().size() == 3);
      now = start.plusSeconds(1_800);
      step(follower);
      assertThat(follower.counts().lines()).isEqualTo(4);
    }

    assertThat(sink.ids()).containsExactlyInAnyOrder("done", "waits", "late");
    assertThat(sink.requests()).allMatch(r -> r.getStatus() == RequestStatus.OK);
    try (TopicFollower idle = follower(false)) {
      step(idle);
      step(idle);
      assertThat(idle.counts().lines()).isZero();
    }
  }

  @Test
  void saysThatNoResponseCame_onceEverythingUpToThenIsRead() throws Exception {
    binary(0, "lost", "request", 1, "{}");
    now = start.plusSeconds(890);
    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> follower.counts().lines() == 1);
      assertThat(sink.ids()).isEmpty();
      steps(follower, () -> sink.ids().size() == 1);
      binary(0, "lost", "request", 1, "{}");
      binary(1, "lost", "response", 1_000, "{}");
      steps(follower, () -> follower.counts().lines() == 3);
    }

    RequestEvent lost = sink.requests().get(0);
    assertThat(lost.getStatus()).isEqualTo(RequestStatus.ERROR);
    assertThat(lost.getError()).isEqualTo("no_response");
    assertThat(sink.ids()).hasSize(1);
  }

  @Test
  void keepsWhatCannotBeUsedAsDeadLetter_andReadsOn() throws Exception {
    send(0, Map.of(), "\u0000\u0001 private");
    send(0, Map.of("content-type", STRUCTURED), "{\"specversion\":");
    send(0, Map.of("content-type", STRUCTURED), "x".repeat(MOST_BYTES));
    send(0, Map.of(), null);
    send(0, Map.of("ce_specversion", "1.0", "ce_type", "other"), "{}");
    binary(0, "", "request", 1, "{}");
    binary(0, "a", "request", 1, "no json");
    binary(0, "a", "response", 2, "{}");

    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> sink.ids().contains("a"));
      assertThat(follower.counts().rejected())
          .isEqualTo(Map.of("bad_json", 2L, "too_large", 1L, "missing_field", 1L));
      assertThat(follower.counts().skipped()).containsEntry(TopicFollower.EMPTY, 1L);
    }

    assertThat(sink.letters())
        .extracting(DeadLetter::getOrigin)
        .containsExactly(topic + "-0@0", topic + "-0@1", topic + "-0@2", topic + "-0@5");
    assertThat(sink.letters()).allMatch(letter -> letter.getContent() == null);
    assertThat(sink.letters().get(2).getLength()).isEqualTo(MOST_BYTES);
  }

  @Test
  void commitsNothingThatTheBrokerHasNot() throws Exception {
    binary(0, "a", "request", 1, "{}");
    binary(0, "a", "response", 2, "{}");
    sink.refuses = true;
    try (TopicFollower refused = follower(false)) {
      Instant deadline = Instant.now().plusSeconds(60);
      while (refused.counts().lines() < 2 && Instant.now().isBefore(deadline)) {
        step(refused);
      }
      assertThat(refused.counts().lines()).isEqualTo(2);
    }
    sink.refuses = false;
    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> sink.ids().size() == 1);
    }

    assertThat(sink.ids()).containsExactly("a");
  }

  @Test
  void passesOverWhatIsThere_fromTheEnd_alsoAfterARestart() throws Exception {
    binary(0, "old", "request", 1, "{}");
    binary(0, "old", "response", 2, "{}");
    try (TopicFollower follower = follower(true)) {
      step(follower);
    }
    binary(0, "new", "request", 3, "{}");
    binary(0, "new", "response", 4, "{}");
    try (TopicFollower follower = follower(true)) {
      steps(follower, () -> !sink.ids().isEmpty());
    }

    assertThat(sink.ids()).containsExactly("new");
  }

  @Test
  void goesOnAtWhatIsLeft_whenRetentionTookThePlace() throws Exception {
    binary(0, "waits", "request", 1, "{}");
    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> follower.counts().lines() == 1);
    }
    binary(0, "a", "request", 1, "{}");
    binary(0, "a", "response", 2, "{}");
    try (Admin admin = Admin.create(kafka())) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(1)))
          .all()
          .get();
    }
    try (TopicFollower follower = follower(false)) {
      steps(follower, () -> !sink.ids().isEmpty());
    }

    assertThat(sink.ids()).containsExactly("a");
  }

  @Test
  void refusesATopicThatIsNotThere_andAGroupOfOthers() throws Exception {
    assertThatThrownBy(() -> follower("nowhere", false))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("no such topic");

    try (KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", "import-" + topic),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      member.subscribe(List.of(topic));
      Instant deadline = Instant.now().plusSeconds(30);
      while (member.assignment().isEmpty() && Instant.now().isBefore(deadline)) {
        member.poll(Duration.ofMillis(100));
      }
      assertThatThrownBy(() -> follower(false))
          .isInstanceOf(UnfitSourceException.class)
          .hasMessageContainingAll(
              "import-" + topic,
              "has members (consumer-import-" + topic,
              "nothing was read and no place changed",
              "--source-group");
      assertThat(member.committed(member.assignment()).values()).containsOnlyNulls();
    }
  }

  @Test
  void readsOtlpInProtobuf_asCollectorsWriteIt() throws Exception {
    byte[] value =
        HexFormat.of()
            .parseHex(
                // ExportTraceServiceRequest of one span llm_request, service.name=svc
                "0a580a170a150a0c736572766963652e6e616d6512050a03737663"
                    + "123d123b0a105b8efff798038103d269b633813fc60c1208"
                    + "eee19b7ec3c1b1742a0b6c6c6d5f7265717565737439"
                    + hex(start.plusSeconds(1))
                    + "41"
                    + hex(start.plusSeconds(3)));
    producer.send(new ProducerRecord<>(topic, 0, start.toEpochMilli(), null, value)).get();
    SourceTopic source =
        new SourceTopic(
            topic,
            "import-" + topic,
            false,
            false,
            MOST_BYTES,
            Map.of("bootstrap.servers", broker.bootstrapServers()));
    try (TopicFollower follower =
        TopicFollower.open(source, AdapterFormat.OTLP.open(OPEN), sink, clock)) {
      steps(follower, () -> sink.events.size() == 1);
      assertThat(follower.counts().rejected()).isEmpty();
      assertThat(follower.behind()).isZero();
    }

    assertThat(sink.requests())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getRequestId())
                  .isEqualTo("5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174");
              assertThat(request.getDeployment()).isEqualTo("svc");
              assertThat(request.getLatencySeconds()).isEqualTo(2.0);
            });
  }

  /** Nanoseconds since the epoch as fixed64. */
  private static String hex(Instant at) {
    return HexFormat.of().toHexDigits(Long.reverseBytes(at.getEpochSecond() * 1_000_000_000L));
  }
}
