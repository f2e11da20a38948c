package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.monitors.alert.RealAlertmanager;
import io.servedrift.monitors.alert.WebhookReceiver;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.RecordRouting;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.Tick;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole way: requests on Kafka, {@code run}, Alertmanager, and who is notified. */
@Tag("alone")
class RunAlertsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int PARTITIONS = 2;
  private static final int PER_SECOND = 10;
  private static final Duration HISTORY = Duration.ofMinutes(30);
  private static final String POLICY =
      """
      false_alarms_per_month: 1000
      warm_up: 0s
      baseline:
        least_duration: 10m
      """;

  @TempDir private Path folder;
  private final Topics topics = new Topics("run-alerts");
  private final SplittableRandom random = new SplittableRandom(7);
  private final HttpClient http = HttpClient.newHttpClient();
  private int sent;

  @Test
  void tellsAboutAFault_withItsCause_fromTheCloseOfItsPane() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary();
        KafkaProducer<byte[], byte[]> producer = producer(broker);
        WebhookReceiver webhook = new WebhookReceiver();
        RealAlertmanager alertmanager = new RealAlertmanager(folder, webhook).start()) {
      create(broker);
      history(producer);
      Process monitor = run(broker, alertmanager);
      try {
        whileSending(producer, 0, () -> isCurrent(monitor));
        whileSending(producer, 0.1, () -> !webhook.notifications().isEmpty());
        assertThat(get("/-/ready")).contains("\"alerts\":{\"ready\":true", "1 firing");
        assertThat(get("/metrics")).contains("servedrift_alerts_open{severity=\"");
      } finally {
        monitor.destroy();
        monitor.waitFor(30, TimeUnit.SECONDS);
      }
      WebhookReceiver.Notification notified = webhook.notifications().get(0);
      JsonNode alert = notified.alerts().get(0);
      assertThat(alert.path("labels").path("alertname").asText()).isEqualTo("ServedriftScoreShift");
      assertThat(alert.path("labels").path("metric").asText()).isEqualTo("clip");
      assertThat(alert.path("annotations").path("cause").asText()).isEqualTo("cache");
      assertThat(alert.path("annotations").path("where").asText()).contains("cache=hit");
      assertThat(alert.path("annotations").path("explain").asText())
          .isEqualTo(
              "./servedrift explain "
                  + alert.path("annotations").path("finding_id").asText()
                  + " --bootstrap-servers "
                  + broker.bootstrapServers()
                  + " --topic-prefix "
                  + topics.prefix());
      // It starts when its pane is closed: at the end, a multiple of 5 s, and both graces of 1 s.
      Instant closed = Instant.parse(alert.path("startsAt").asText());
      assertThat(closed.toEpochMilli() % 5_000).as("startsAt %s", closed).isEqualTo(2_000);
      assertThat(closed).isBefore(notified.receivedAt());
      assertThat(Files.readString(folder.resolve("run.log"))).doesNotContain("secret-token");
    }
  }

  /** Sends requests at the usual rate until something holds. */
  private void whileSending(
      KafkaProducer<byte[], byte[]> producer, double lost, Callable<Boolean> until) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1000 / PER_SECOND))
        .until(
            () -> {
              send(producer, request(Instant.now(), lost));
              return until.call();
            });
  }

  /** Whether the monitor has caught up with the history: its latest window is of just now. */
  private boolean isCurrent(Process monitor) throws IOException, InterruptedException {
    assertThat(monitor.isAlive()).as(log()).isTrue();
    if (address().isEmpty()) {
      return false;
    }
    JsonNode series =
        new ObjectMapper().readTree(get("/api/v1/series?metric=clip&config_id=c1&limit=1"));
    return series.findValuesAsText("end").stream()
        .anyMatch(end -> Instant.parse(end).isAfter(Instant.now().minusSeconds(15)));
  }

  private static KafkaProducer<byte[], byte[]> producer(EmbeddedBroker broker) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "max.in.flight.requests.per.connection",
            1),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private void create(EmbeddedBroker broker) throws Exception {
    List<NewTopic> wanted = new ArrayList<>();
    for (TopicSpec spec : topics.all(PARTITIONS, PARTITIONS)) {
      wanted.add(new NewTopic(spec.name(), spec.partitions(), (short) 1).configs(spec.config()));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.createTopics(wanted).all().get();
    }
  }

  /** Half an hour of healthy traffic that ends now, with the ticks a monitor would have written. */
  private void history(KafkaProducer<byte[], byte[]> producer) {
    Instant end = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    for (Instant at = end.minus(HISTORY); at.isBefore(end); at = at.plusSeconds(1)) {
      tick(producer, at);
      for (int i = 0; i < PER_SECOND; i++) {
        send(producer, request(at.plusMillis(i * 1000L / PER_SECOND), 0));
      }
    }
    producer.flush();
  }

  private void tick(KafkaProducer<byte[], byte[]> producer, Instant at) {
    byte[] value = EventCodec.encode(new Tick(at));
    for (String topic : List.of(topics.requests(), topics.scores(), topics.servingEvents())) {
      for (int i = 0; i < PARTITIONS; i++) {
        Future<RecordMetadata> unused =
            producer.send(new ProducerRecord<>(topic, i, at.toEpochMilli(), null, value));
      }
    }
  }

  /** A request; every other one hits the cache and loses so much of its score. */
  private RequestEvent request(Instant at, double lost) {
    boolean hit = random.nextBoolean();
    CacheUse cache = new CacheUse();
    cache.setHit(hit);
    double noise = random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5;
    return RequestEvent.newBuilder()
        .setRequestId("r-" + sent++)
        .setDeployment("image-gen")
        .setNode("gpu-0")
        .setConfigId("c1")
        .setModelId("m1")
        .setFinishedAt(at)
        .setStatus(RequestStatus.OK)
        .setLatencySeconds(1 + random.nextDouble())
        .setScores(Map.of("clip", 0.31 + 0.02 * noise - (hit ? lost : 0)))
        .setCache(cache)
        .build();
  }

  private void send(KafkaProducer<byte[], byte[]> producer, RequestEvent request) {
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(
                topics.requests(),
                null,
                EventTimes.of(request).toEpochMilli(),
                RecordRouting.keyFor(request).getBytes(StandardCharsets.UTF_8),
                EventCodec.encode(request)));
  }

  private Process run(EmbeddedBroker broker, RealAlertmanager alertmanager) throws IOException {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    Path token = Files.writeString(folder.resolve("token"), "secret-token\n");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "run"));
    command.addAll(List.of("--bootstrap-servers", broker.bootstrapServers(), "--http-port", "0"));
    command.addAll(List.of("--topic-prefix", topics.prefix(), "--policy", policy.toString()));
    command.addAll(List.of("--pane", "5s", "--windows", "10s", "--grace", "1s"));
    command.addAll(List.of("--score-grace", "1s", "--horizon", "20s", "--tick", "200ms"));
    command.addAll(List.of("--alertmanager-urls", alertmanager.address().toString()));
    command.addAll(List.of("--alertmanager-token-file", token.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(folder.resolve("run.log").toFile())
            .redirectOutput(folder.resolve("run.out").toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    return builder.start();
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("run.log"));
  }

  /** From the one line on stdout; empty before it is there. */
  private String address() throws IOException {
    String out = Files.readString(folder.resolve("run.out")).strip();
    return out.substring(out.lastIndexOf(' ') + 1);
  }

  private String get(String path) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(address() + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
