package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.follow.FollowCounts;
import io.servedrift.ingest.follow.Following;
import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code import} as a process that is killed: what it follows comes to the monitor once. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("alone")
class FollowedImportIT {
  /** For a machine that has ten times its load. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final Duration STEP = Duration.ofMinutes(1);
  private static final Instant START = Instant.parse("2026-09-20T10:00:00Z");

  private static EmbeddedBroker broker;

  @TempDir private Path folder;
  private final List<Process> processes = new ArrayList<>();
  private final Set<String> written = new TreeSet<>();

  @BeforeAll
  static void open() {
    broker = EmbeddedBroker.startTemporary();
  }

  @AfterAll
  static void close() {
    broker.close();
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
  }

  private Process start(String prefix, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dlogback.configurationFile=logback.xml");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("import", "--json", "--topic-prefix", prefix));
    command.addAll(List.of("--bootstrap-servers", broker.bootstrapServers()));
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .redirectOutput(folder.resolve("out").toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private Path log() {
    return folder.resolve("err");
  }

  private static void kill(Process process) throws InterruptedException {
    process.destroyForcibly(); // SIGKILL
    assertThat(process.waitFor(STEP.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** The orderly end; gives the counts. */
  private JsonNode stop(Process process) throws IOException, InterruptedException {
    process.destroy(); // SIGTERM
    assertThat(process.waitFor(STEP.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log())).isZero();
    return new ObjectMapper().readTree(folder.resolve("out").toFile());
  }

  private static Topics topics(String prefix) {
    Topics topics = new Topics(prefix);
    try (TopicProvisioner provisioner =
        TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      provisioner.apply(topics);
    }
    return topics;
  }

  private static Set<String> ids(List<SpecificRecord> records) {
    Set<String> ids = new TreeSet<>();
    records.forEach(record -> ids.add(((RequestEvent) record).getRequestId()));
    return ids;
  }

  /** All requests in their topic, with repeats. */
  private static List<SpecificRecord> published(Topics topics) throws Exception {
    List<SpecificRecord> requests = new ArrayList<>();
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topics.requests()).stream()
              .map(p -> new TopicPartition(p.topic(), p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (EventCodec.decode(record.value()) instanceof RequestEvent request) {
            requests.add(request);
          }
        }
      }
    }
    return requests;
  }

  private void awaitAll(Process process, Topics topics) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .failFast(() -> assertThat(process.isAlive()).as(Files.readString(log())).isTrue())
        .ignoreExceptionsInstanceOf(RetriableException.class)
        .untilAsserted(() -> assertThat(ids(published(topics))).containsAll(written));
  }

  /** What the monitor makes of these records, whose repeats are alike: its counters. */
  private JsonNode replayed(List<SpecificRecord> records) throws IOException {
    Path file = folder.resolve("records.ndjson");
    Files.write(file, records.stream().map(EventJson::write).toList());
    CommandLineHarness harness = new CommandLineHarness();
    assertThat(harness.run("replay", "--json", "--file", file.toString()))
        .as(harness.err())
        .isZero();
    String[] lines = harness.out().strip().split("\n", -1);
    return new ObjectMapper().readTree(lines[lines.length - 1]).path("counters");
  }

  /** A line of SGLang's file of requests. */
  private String line(int number) {
    written.add("r-" + number);
    double finished = START.getEpochSecond() + number / 100.0;
    return ("{\"id\":\"r-%d\",\"finish_reason\":{\"type\":\"stop\"},\"e2e_latency\":1.5,"
            + "\"request_finished_ts\":%.3f}\n")
        .formatted(number, finished);
  }

  private String lines(int from, int to) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < to; i++) {
      lines.append(line(i));
    }
    return lines.toString();
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Test
  void losesAndRepeatsNothing_overRotationsHalfLinesAndAKill() throws Exception {
    Topics topics = topics("files");
    Path log = Files.createDirectory(folder.resolve("logs")).resolve("requests.log");
    String[] options = {
      "--follow",
      "--format",
      "sglang-metrics",
      "--as-deployment",
      "llm",
      "--places",
      folder.resolve("places.json").toString(),
      log.toString()
    };
    String half = line(100);
    append(log, lines(0, 100) + half.substring(0, 40));
    Process first = start("files", options);
    written.remove("r-100");
    awaitAll(first, topics);

    append(log, half.substring(40) + lines(101, 150));
    Files.move(log, log.resolveSibling("requests.log.1"));
    append(log, lines(150, 200));
    written.add("r-100");
    awaitAll(first, topics);

    // A program that copies and truncates loses what nobody has read yet; here all is read.
    Files.copy(log, log.resolveSibling("requests.log.2"));
    Files.write(log, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
    append(log, lines(200, 220));
    awaitAll(first, topics);

    String cut = line(220);
    append(log, cut.substring(0, 30));
    kill(first);
    append(log, cut.substring(30) + lines(221, 250));
    Files.move(log, log.resolveSibling("requests.log.3"));
    append(log, lines(250, 300));

    Process second = start("files", options);
    awaitAll(second, topics);
    JsonNode counts = stop(second);

    assertThat(counts.path("rejected_by_reason")).isEmpty();
    List<SpecificRecord> published = published(topics);
    assertThat(published).as("read again after the kill").hasSizeGreaterThan(300);
    assertThat(written).hasSize(300);
    JsonNode counters = replayed(published);
    assertThat(counters.path("requests_accepted").asInt()).as(counters.toString()).isEqualTo(300);
    assertThat(counters.path("duplicates").asInt())
        .as(counters.toString())
        .isEqualTo(published.size() - 300);
  }

  @Test
  void pairsWhatComesToATopic_overAKill() throws Exception {
    Topics topics = topics("events");
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic("payloads", 3, (short) 1))).all().get();
    }
    String[] options = {
      "--format",
      "kserve",
      "--from-topic",
      "payloads",
      "--source-bootstrap-servers",
      broker.bootstrapServers(),
      "--source-group",
      "payload-readers"
    };
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      Instant at = START; // long before the records are written
      for (int i = 0; i < 40; i++) {
        half(producer, "k-" + i, "request", at.plusMillis(i));
      }
      for (int i = 0; i < 20; i++) {
        half(producer, "k-" + i, "response", at.plusMillis(i + 500));
        written.add("k-" + i);
      }
      producer.send(new ProducerRecord<>("payloads", "no event at all")).get();
      Process first = start("events", options);
      awaitAll(first, topics);
      kill(first);

      for (int i = 20; i < 40; i++) {
        half(producer, "k-" + i, "response", at.plusMillis(i + 500));
        written.add("k-" + i);
      }
      producer.flush();
    }
    Process second = start("events", options);
    awaitAll(second, topics);
    JsonNode counts = stop(second);

    assertThat(counts.path("notes")).isEmpty();
    JsonNode byTopic = counts.path("published_by_topic");
    int requests = byTopic.path(topics.requests()).asInt();
    assertThat(requests).isPositive();
    // The one that is no event is read again where the kill came before the commit.
    assertThat(requests + byTopic.path(topics.deadLetters()).asInt())
        .as(counts.toString())
        .isEqualTo(counts.path("published").asInt());
    List<SpecificRecord> published = published(topics);
    JsonNode counters = replayed(published);
    assertThat(counters.path("requests_accepted").asInt()).as(counters.toString()).isEqualTo(40);
    assertThat(counters.path("duplicates").asInt())
        .as(counters.toString())
        .isEqualTo(published.size() - 40);
    assertThat(published)
        .allSatisfy(
            event -> assertThat(((RequestEvent) event).getStatus()).isEqualTo(RequestStatus.OK));
  }

  private static TopicWait waitFor(CommandLineHarness harness, Duration longest) {
    return new TopicWait(
        harness.context(), Map.of("bootstrap.servers", broker.bootstrapServers()), longest);
  }

  @Test
  void waitsForTopicsThatAreBeingMade() throws Exception {
    CommandLineHarness harness = new CommandLineHarness();
    Topics topics = new Topics("soon");
    TopicWait wait = waitFor(harness, PATIENCE);
    try (StopSignal signal = StopSignal.install()) {
      CompletableFuture<Void> made =
          CompletableFuture.runAsync(
              () -> {
                await()
                    .atMost(STEP)
                    .until(() -> harness.err().contains("waiting for the topics [soon-"));
                topics("soon");
              });
      wait.await(topics.all(), signal);
      made.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      assertThat(signal.isStopped()).isFalse();
    }
    assertThat(harness.err()).containsOnlyOnce("which are not there yet");
  }

  @Test
  void saysOnceWhichTopicsAreNotThere_andEndsAsUnreachable() {
    CommandLineHarness harness = new CommandLineHarness();
    TopicSpec missing = new TopicSpec("never", 1, Map.of());
    try (StopSignal signal = StopSignal.install()) {
      assertThatThrownBy(
              () -> waitFor(harness, Duration.ofSeconds(1)).await(List.of(missing), signal))
          .isInstanceOfSatisfying(
              CommandFailure.class,
              failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNREACHABLE))
          .hasMessageContainingAll("the topics [never] are not there", "topics --apply");
    }
    assertThat(harness.err())
        .containsOnlyOnce("servedrift: waiting for the topics [never], which are not there yet");
  }

  @Test
  void doesNotWaitAfterASignal() throws Exception {
    TopicSpec missing = new TopicSpec("never", 1, Map.of());
    try (StopSignal signal = StopSignal.install()) {
      signal.stop(ExitCode.DONE);
      // Would fail after a second.
      waitFor(new CommandLineHarness(), Duration.ofSeconds(1)).await(List.of(missing), signal);
    }
  }

  @Test
  void waitsForABrokerThatDoesNotAnswerYet_andEndsAsUnreachable() throws Exception {
    CommandLineHarness harness = new CommandLineHarness();
    TopicSpec missing = new TopicSpec("never", 1, Map.of());
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        StopSignal signal = StopSignal.install()) {
      Map<String, String> kafka = Map.of("bootstrap.servers", "127.0.0.1:" + silent.getLocalPort());
      TopicWait wait = new TopicWait(harness.context(), kafka, Duration.ofSeconds(11));

      assertThatThrownBy(() -> wait.await(List.of(missing), signal))
          .isInstanceOf(BrokerUnreachableException.class);
    }
    assertThat(harness.err())
        .containsOnlyOnce("servedrift: waiting for the broker, which does not answer yet");
  }

  @Test
  void printsItsCounts_whenItIsStoppedWhileItWaits() throws Exception {
    Path file = folder.resolve("requests.log");
    append(file, line(0));
    Process process =
        start(
            "nobody",
            "--follow",
            "--format",
            "sglang-metrics",
            "--as-deployment",
            "llm",
            "--places",
            folder.resolve("places.json").toString(),
            file.toString());
    await()
        .atMost(STEP)
        .failFast(() -> assertThat(process.isAlive()).as(Files.readString(log())).isTrue())
        .until(() -> Files.readString(log()).contains("waiting for the topics [nobody-"));

    JsonNode counts = stop(process);
    assertThat(counts.path("published").asText()).isEqualTo("0");
    assertThat(counts.path("published_by_topic").isObject()).isTrue();
  }

  /** Of a topic with 1,000 records: 400 are read, then all, then one more comes. */
  private static final class Backlog implements Following {
    private long lines;
    private long behind;

    @Override
    public void run(BooleanSupplier stopped, Runnable pause) {
      look(400, 600, stopped);
      look(1_000, 0, stopped);
      look(1_001, 0, stopped);
    }

    private void look(long read, long left, BooleanSupplier stopped) {
      lines = read;
      behind = left;
      assertThat(stopped.getAsBoolean()).isFalse();
    }

    @Override
    public long lines() {
      return lines;
    }

    @Override
    public long behind() {
      return behind;
    }

    @Override
    public FollowCounts counts() {
      return new FollowCounts(
          lines, Map.of("b-requests-v1", 990L, "b-configs-v1", 1L), Map.of(), Map.of(), Map.of());
    }

    @Override
    public void close() {}
  }

  @Test
  void showsHowFarItIs_andCountsByTopicInTheEnd() throws Exception {
    Topics topics = topics("backlog");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Iterator<Instant> seconds = Stream.iterate(START, at -> at.plusSeconds(1)).iterator();
    CommandContext context =
        new CommandContext(
            Terminal.of(out, err, InputStream.nullInputStream(), false, true, false),
            Map.of(),
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
                return seconds.next();
              }
            },
            new OutputOptions());
    Settings settings =
        SettingsResolver.resolve(
            Map.of("bootstrap-servers", broker.bootstrapServers()),
            Map.of(),
            Map.of(),
            null,
            Map.of());
    try (BrokerConnection connection = BrokerConnection.open(settings)) {
      ExitCode code =
          new FollowedImport(context, "topic b", "records", sink -> new Backlog())
              .run(connection, topics, false, false);
      assertThat(code).isEqualTo(ExitCode.DONE);
    }

    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("following topic b", "records read: 400, 600 left to read")
        .contains("records read: 1,000\r", "records read: 1,001\r");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "1,001 records read, 991 published%n  to b-configs-v1: 1%n  to b-requests-v1: 990%n"
                .formatted());
  }

  @Test
  void saysWhatIsWrongWithTheSource() {
    topics("wrong");
    Map<String, String> sources =
        Map.of(
            broker.bootstrapServers(),
            "topic nowhere: there is no such topic",
            "host.invalid:9092",
            "host.invalid:9092");
    sources.forEach(
        (servers, message) -> {
          CommandLineHarness harness = new CommandLineHarness();
          int code =
              harness.run(
                  "import",
                  "--format",
                  "kserve",
                  "--from-topic",
                  "nowhere",
                  "--source-bootstrap-servers",
                  servers,
                  "--topic-prefix",
                  "wrong",
                  "--bootstrap-servers",
                  broker.bootstrapServers());
          assertThat(harness.err()).contains(message).doesNotContain("\tat ");
          assertThat(code).as(servers).isEqualTo(message.contains("no such topic") ? 2 : 12);
        });
  }

  private static void half(
      KafkaProducer<String, String> producer, String id, String kind, Instant at) throws Exception {
    ProducerRecord<String, String> record = new ProducerRecord<>("payloads", "{}");
    Map.of(
            "ce_specversion",
            "1.0",
            "ce_id",
            id,
            "ce_type",
            "org.kubeflow.serving.inference." + kind,
            "ce_time",
            at.toString(),
            "ce_inferenceservicename",
            "s")
        .forEach(
            (name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    producer.send(record).get();
  }
}
