package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Severity;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Findings on a real broker, a real Alertmanager, and a receiver of its notifications. */
@Tag("alone")
class AlertForwarderIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Long enough for Alertmanager to notify again, if it were to. */
  private static final Duration QUIET = Duration.ofSeconds(4);

  private static final AlertTimings TIMINGS =
      new AlertTimings(Duration.ofSeconds(1), Duration.ofSeconds(20));

  /** An alert that nobody sends again lasts for 24 s: longer than it takes to replace a process. */
  private static final AlertTimings SLOWER =
      new AlertTimings(Duration.ofSeconds(6), Duration.ofMinutes(1));

  private static EmbeddedBroker broker;
  private static KafkaProducer<byte[], byte[]> producer;
  private static int run;

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Topics topics;
  private WebhookReceiver webhook;
  private RealAlertmanager alertmanager;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startTemporary();
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  @AfterAll
  static void stopBroker() {
    producer.close();
    broker.close();
  }

  @BeforeEach
  void prepare() throws IOException {
    topics = new Topics("alerts-" + run++);
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(topics);
    }
    webhook = new WebhookReceiver();
    alertmanager = new RealAlertmanager(folder, webhook);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    alertmanager.close();
    webhook.close();
  }

  private static AlertForwarder.Options options(
      String bootstrap, Topics topics, AlertTimings timings, URI... replicas) {
    return new AlertForwarder.Options(
        // The protocol is meant for the topology, which takes the same settings.
        Map.of("bootstrap.servers", bootstrap, "group.protocol", "streams"),
        topics.prefix() + "-monitor",
        topics,
        new AlertmanagerAccess(List.of(replicas), Map.of(), null, Duration.ofSeconds(2)),
        timings,
        TestFinding.LINKS,
        Optional::empty,
        Clock.systemUTC());
  }

  private AlertForwarder forwarder(AlertTimings timings) {
    AlertForwarder forwarder =
        AlertForwarder.start(
            options(broker.bootstrapServers(), topics, timings, alertmanager.address()));
    open.add(forwarder);
    return forwarder;
  }

  private void write(TestFinding finding) throws Exception {
    producer
        .send(
            new ProducerRecord<>(
                topics.findings(),
                finding.deployment().getBytes(StandardCharsets.UTF_8),
                EventCodec.encode(finding.record())))
        .get(10, TimeUnit.SECONDS);
  }

  private static TestFinding finding(String id) {
    return TestFinding.of(id).detected(Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  private void awaitSaid(String... expected) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(webhook.said()).contains(expected));
  }

  /** Exactly this was notified, and nothing follows. */
  private void staysSaid(String... expected) {
    await()
        .during(QUIET)
        .atMost(QUIET.plusSeconds(5))
        .untilAsserted(() -> assertThat(webhook.said()).containsExactlyInAnyOrder(expected));
  }

  private String annotation(String name) {
    return alertmanager.alerts().stream()
        .map(alert -> alert.path("annotations").path(name).asText())
        .findFirst()
        .orElse("");
  }

  @Test
  void notifiesOnce_updatesInSilence_andResolves() throws Exception {
    alertmanager.start();
    forwarder(TIMINGS);
    TestFinding finding = finding("f1");
    write(finding);
    awaitSaid("page firing");

    JsonNode alert = webhook.notifications().get(0).alerts().get(0);
    assertThat(labels(alert)).isEqualTo(finding.view().key().labels());
    assertThat(alert.path("annotations").path("cause").asText()).isEqualTo("cache");
    assertThat(alert.path("annotations").path("description").asText()).contains("+0.11", "n=3657");
    assertThat(Instant.parse(alert.path("startsAt").asText())).isEqualTo(finding.detectedAt());
    assertThat(alert.path("generatorURL").asText())
        .isEqualTo("http://drift.example:8080/api/v1/findings?id=f1");

    write(finding.because("batching", 0.27));
    await().atMost(PATIENCE).until(() -> annotation("description").contains("+0.27"));
    assertThat(annotation("cause")).isEqualTo("batching");
    staysSaid("page firing");

    write(finding.because("batching", 0.27).closed());
    awaitSaid("page resolved");
    staysSaid("page firing", "page resolved");
    JsonNode resolved = webhook.notifications().get(1).alerts().get(0);
    assertThat(labels(resolved)).isEqualTo(labels(alert));
    assertThat(resolved.path("startsAt")).isEqualTo(alert.path("startsAt"));
    assertThat(resolved.path("annotations").path("cause").asText()).isEqualTo("batching");
    assertThat(alertmanager.alerts()).isEmpty();
  }

  private static Map<String, String> labels(JsonNode alert) {
    Map<String, String> labels = new TreeMap<>();
    alert.path("labels").properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    return labels;
  }

  @Test
  void arrivesOnce_whenAlertmanagerWasAwayWhileItOpenedAndChanged() throws Exception {
    AlertForwarder forwarder = forwarder(TIMINGS);
    TestFinding finding = finding("f1");
    write(finding);
    await().atMost(PATIENCE).until(() -> forwarder.status().replicas().get(0).failed() >= 2);
    assertThat(forwarder.status().running()).isTrue();
    assertThat(forwarder.status().replicas().get(0).problem()).contains("ConnectException");
    write(finding.because("cache", 0.19));
    write(finding.because("cache", 0.27));
    alertmanager.start();
    awaitSaid("page firing");
    assertThat(annotation("description")).contains("+0.27");
    staysSaid("page firing");

    alertmanager.stop();
    write(finding.because("cache", 0.31));
    alertmanager.start();
    await().atMost(PATIENCE).until(() -> annotation("description").contains("+0.31"));
    staysSaid("page firing");
  }

  @Test
  void isOneAlertAndOneNotification_whenAFaultMovesSixSeries() throws Exception {
    alertmanager.start();
    forwarder(TIMINGS);
    List<TestFinding> six = new ArrayList<>();
    for (String metric :
        List.of("latency", "inference", "queue", "stage:denoise", "clip", "error_ratio")) {
      boolean capped = metric.equals("queue") || metric.startsWith("stage:");
      six.add(
          finding("f-" + metric)
              .in("inc-1")
              .about(metric, metric.equals("error_ratio") ? "ratio" : "mean")
              .as(capped ? Severity.TICKET : Severity.PAGE));
    }
    for (TestFinding one : six) {
      write(one);
    }
    awaitSaid("page firing");
    await().atMost(PATIENCE).until(() -> annotation("findings").contains("f-error_ratio"));
    assertThat(annotation("findings").lines()).hasSize(6);
    staysSaid("page firing");
    assertThat(alertmanager.alerts()).hasSize(1);

    for (TestFinding one : six) {
      if (one.severity() == Severity.PAGE) {
        staysSaid("page firing");
      }
      write(one.closed());
    }
    awaitSaid("page resolved");
  }

  @Test
  void fires_untilResolvedByTheNextProcess_whenOneIsKilled() throws Exception {
    alertmanager.start();
    Process first = child();
    TestFinding finding = finding("f1");
    try {
      write(finding);
      awaitSaid("page firing");
    } finally {
      first.destroyForcibly().waitFor();
    }
    Process second = child();
    try {
      await()
          .during(SLOWER.validity().plusSeconds(4))
          .atMost(SLOWER.validity().plusSeconds(10))
          .untilAsserted(() -> assertThat(webhook.said()).containsExactly("page firing"));
      assertThat(alertmanager.alerts()).hasSize(1);
      second.destroyForcibly().waitFor();
      write(finding.closed());
      second = child();
      awaitSaid("page resolved");
      staysSaid("page firing", "page resolved");
      JsonNode resolved = webhook.notifications().get(1).alerts().get(0);
      assertThat(Instant.parse(resolved.path("startsAt").asText())).isEqualTo(finding.detectedAt());
    } finally {
      second.destroyForcibly().waitFor();
    }
  }

  @Test
  void doesNotFireAgain_whenOneWakesUpThatWasReplacedMeanwhile() throws Exception {
    alertmanager.start();
    Process first = child();
    Process second = null;
    try {
      TestFinding finding = finding("f1");
      write(finding);
      awaitSaid("page firing");
      signal("-STOP", first);
      second = child();
      write(finding.closed());
      awaitSaid("page resolved");
      signal("-CONT", first);
      staysSaid("page firing", "page resolved");
      assertThat(alertmanager.alerts()).isEmpty();
      assertThat(first.isAlive()).isTrue();
    } finally {
      first.destroyForcibly().waitFor();
      if (second != null) {
        second.destroyForcibly().waitFor();
      }
    }
  }

  private static void signal(String what, Process to) throws Exception {
    Process kill = new ProcessBuilder("kill", what, Long.toString(to.pid())).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  private Process child() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            ForwarderProcess.class.getName(),
            broker.bootstrapServers(),
            topics.prefix(),
            alertmanager.address().toString())
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(new File("target", "forwarder-process.log")))
        .start();
  }

  /** A forwarder in a process of its own, to be killed. */
  static final class ForwarderProcess {
    private ForwarderProcess() {}

    public static void main(String[] args) throws Exception {
      try (AlertForwarder forwarder =
          AlertForwarder.start(
              options(args[0], new Topics(args[1]), SLOWER, URI.create(args[2])))) {
        Thread.currentThread().join();
        throw new AssertionError(forwarder.status().detail());
      }
    }
  }

  @Test
  void isOneAlert_whenTwoInstancesShareTheWork_andOneLeaves() throws Exception {
    alertmanager.start();
    AlertForwarder one = forwarder(SLOWER);
    AlertForwarder other = forwarder(SLOWER);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                one.status().detail().equals("3 partitions")
                    && other.status().detail().equals("3 partitions"));
    List<TestFinding> findings = new ArrayList<>();
    String[] once = new String[8];
    for (int i = 0; i < once.length; i++) {
      findings.add(finding("f" + i).at(i % 2 == 0 ? "deployment-" + i : " deployment-" + i + " "));
      write(findings.get(i));
      once[i] = "page firing";
    }
    staysSaidAfterAll(once);
    assertThat(firing(one)).isPositive();
    assertThat(firing(one) + firing(other)).isEqualTo(once.length);

    one.close();
    await().atMost(PATIENCE).until(() -> firing(other) == once.length);
    staysSaid(once);
    assertThat(alertmanager.alerts()).hasSize(once.length);

    List<String> all = new ArrayList<>(List.of(once));
    for (TestFinding finding : findings) {
      write(finding.closed());
      all.add("page resolved");
    }
    staysSaidAfterAll(all.toArray(String[]::new));
    assertThat(alertmanager.alerts()).isEmpty();
  }

  private void staysSaidAfterAll(String... expected) {
    await().atMost(PATIENCE).until(() -> webhook.said().size() >= expected.length);
    staysSaid(expected);
  }

  private static int firing(AlertForwarder forwarder) {
    return forwarder.status().firing().values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void reachesEveryReplica_whenOneOfThemHangs() throws Exception {
    alertmanager.start();
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      URI hanging = URI.create("http://127.0.0.1:" + silent.getLocalPort());
      AlertForwarder forwarder =
          AlertForwarder.start(
              options(broker.bootstrapServers(), topics, TIMINGS, hanging, alertmanager.address()));
      open.add(forwarder);
      write(finding("f1"));
      awaitSaid("page firing");
      await().atMost(PATIENCE).until(() -> forwarder.status().replicas().get(0).failed() > 0);
      assertThat(forwarder.status().replicas().get(1).sent()).isPositive();
    }
  }
}
