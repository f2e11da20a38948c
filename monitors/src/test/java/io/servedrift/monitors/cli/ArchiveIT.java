package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.EventReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A range of a real broker and its archive are the same: replays of both print the same windows and
 * findings, byte for byte. And what is not there is said.
 */
class ArchiveIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant FROM = ArchiveTopics.START.plus(Duration.ofMinutes(85));
  private static final Instant TO = ArchiveTopics.START.plus(Duration.ofMinutes(135));

  @TempDir private static Path shared;

  private static EmbeddedBroker broker;
  private static ArchiveTopics source;

  @TempDir private Path folder;

  @BeforeAll
  static void fillTopics() throws Exception {
    broker = EmbeddedBroker.startTemporary();
    source = new ArchiveTopics(broker.bootstrapServers(), "archived");
    source.create();
    source.fill();
    judgeLive();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** The monitor itself, until it has written the checkpoint that a replay of the range needs. */
  private static void judgeLive() throws Exception {
    MonitorStreams.Options options =
        new MonitorStreams.Options(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            "archived-monitor",
            shared.resolve("state").toString(),
            Duration.ZERO,
            Duration.ofMillis(200),
            1,
            false);
    try (MonitorStreams monitor =
        new MonitorStreams(
            options,
            source.topics,
            PaneSettings.defaults(),
            new MetricLayouts(),
            JudgedRun.BY_DEFAULT,
            new EventReader(),
            new Tally(),
            Clock.systemUTC())) {
      monitor.start();
      await()
          .atMost(Duration.ofMinutes(3))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> !checkpoints().isEmpty());
    }
  }

  private static Map<String, Instant> checkpoints() {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "isolation.level",
                "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      return Checkpoints.newest(consumer, source.topics, FROM).times();
    }
  }

  @Test
  void archiveOfEverythingReplaysLikeItsTopics() throws IOException {
    Path archive = archived("all", 0);

    List<String> kafka = replayed("kafka", onKafka());
    List<String> files = replayed("files", "--file", archive.toString());

    assertThat(kafka).anyMatch(line -> line.contains("\"finding_id\"")).hasSizeGreaterThan(50);
    assertThat(kafka).anyMatch(line -> line.contains("\"type\":\"window\""));
    assertThat(files).isEqualTo(kafka);
  }

  @Test
  void archiveOfARangeReplaysLikeTheRange_coldAndFromTheCheckpoint() throws IOException {
    Path archive = archived("range", 0, "--from", FROM.toString(), "--to", TO.toString());
    for (String state : List.of("cold", "live")) {
      List<String> kafka =
          replayed(
              "kafka-" + state,
              onKafka("--from", FROM.toString(), "--to", TO.toString(), "--state", state));
      List<String> files =
          replayed("files-" + state, "--file", archive.toString(), "--state", state);
      assertThat(files).as(state).isEqualTo(kafka);
      // What is known at the start decides: a cold judge has no baseline when the fault begins.
      assertThat(kafka.stream().anyMatch(line -> line.contains("\"finding_id\"")))
          .as(state)
          .isEqualTo(state.equals("live"));
    }
    List<String> lent =
        replayed(
            "lent",
            onKafka(
                "--from", FROM.toString(), "--to", TO.toString(), "--state", archive.toString()));
    assertThat(lent).isEqualTo(replayed("again", "--file", archive.toString(), "--state", "live"));
    List<String> narrow =
        replayed(
            "narrow",
            "--file",
            archive.toString(),
            "--from",
            FROM.plusSeconds(600).toString(),
            "--state",
            "cold");
    assertThat(narrow)
        .isEqualTo(
            replayed(
                "narrow-kafka",
                onKafka(
                    "--from",
                    FROM.plusSeconds(600).toString(),
                    "--to",
                    TO.toString(),
                    "--state",
                    "cold")));
  }

  @Test
  void neighbouringArchivesAreOne_andNoGapIsPassedOver() throws IOException {
    Instant middle = ArchiveTopics.START.plus(Duration.ofMinutes(70));
    Path one = archived("one", 0, "--to", middle.toString(), "--codec", "deflate");
    Path two = archived("two", 0, "--from", middle.toString());
    // Ends before what the other needs, at whichever of its checkpoints the monitor was stopped.
    Instant soon = ArchiveTopics.START.plus(Duration.ofMinutes(20));
    Path start = archived("start", 0, "--to", soon.toString());
    Path far = archived("far", 0, "--from", TO.toString());

    assertThat(replayed("both", "--file", two.toString(), one.toString()))
        .isEqualTo(replayed("kafka", onKafka()));
    CommandLineHarness gap = new CommandLineHarness();
    assertThat(gap.run("replay", "--file", start.toString(), far.toString())).isEqualTo(2);
    assertThat(gap.err()).contains("has records in between that are in neither");
  }

  @Test
  void isContinued_andWhatIsDamagedIsWrittenAgain() throws IOException {
    Path archive = archived("resumed", 0);
    List<String> whole = replayed("whole", "--file", archive.toString());
    List<Path> files = files(archive);
    assertThat(files).hasSizeGreaterThan(7);
    Path untouched = files.get(0);
    Files.delete(files.get(1));
    byte[] bytes = Files.readAllBytes(files.get(4));
    bytes[bytes.length / 2] ^= 1;
    Files.write(files.get(4), bytes);
    Files.writeString(archive.resolve(files.get(5).getFileName() + ".part"), "half");
    var before = Files.getLastModifiedTime(untouched);

    CommandLineHarness verify = new CommandLineHarness();
    assertThat(verify.run("archive", "--verify", archive.toString())).isEqualTo(10);
    assertThat(verify.out())
        .contains(files.get(1).getFileName() + ": is missing")
        .contains(files.get(4).getFileName() + ": its SHA-256 is not that of the manifest");
    CommandLineHarness replay = new CommandLineHarness();
    assertThat(replay.run("replay", "--file", archive.toString())).isEqualTo(10);
    assertThat(replay.err()).contains("damaged or not complete");
    assertThat(replay.out()).isEmpty();

    archived("resumed", 0);

    assertThat(new CommandLineHarness().run("archive", "--verify", archive.toString())).isZero();
    assertThat(replayed("restored", "--file", archive.toString())).isEqualTo(whole);
    assertThat(Files.getLastModifiedTime(untouched)).isEqualTo(before);
    assertThat(archive.resolve(files.get(5).getFileName() + ".part")).doesNotExist();
  }

  @Test
  void refusesFoldersOfSomethingElse() throws IOException {
    archived("mine", 0, "--to", FROM.toString());
    CommandLineHarness other = archive("mine", "--to", TO.toString());
    assertThat(other.err()).contains("holds the archive of another range");
    Files.createDirectories(folder.resolve("full"));
    Files.writeString(folder.resolve("full").resolve("notes.txt"), "mine");
    assertThat(archive("full").err()).contains("is not empty and holds no archive");
    CommandLineHarness part = new CommandLineHarness();
    String one = files(folder.resolve("mine")).get(0).toString();
    assertThat(part.run("replay", "--file", one)).isEqualTo(2);
    assertThat(part.err()).contains("belongs to the archive too and is not named");
    CommandLineHarness wider = new CommandLineHarness();
    assertThat(
            wider.run("replay", "--file", folder.resolve("mine").toString(), "--to", TO.toString()))
        .isEqualTo(11);
    assertThat(wider.err()).contains("the archive holds records for a replay from the first one");
    CommandLineHarness timeless = new CommandLineHarness();
    assertThat(
            timeless.run(command("replay", onKafka("--state", folder.resolve("mine").toString()))))
        .isEqualTo(2);
    assertThat(timeless.err()).contains(": needs --from, the time the state is of");
  }

  @Test
  void aStateThatIsAskedForIsThere_orItsAbsenceIsSaid() {
    Path early = archived("early", 0, "--to", FROM.toString());
    Path whole = archived("everything", 0);
    CommandLineHarness timeless = new CommandLineHarness();
    assertThat(timeless.run("replay", "--file", whole.toString(), "--state", "live")).isEqualTo(2);
    assertThat(timeless.err()).contains("--state live: needs --from");
    String first = ArchiveTopics.START.plus(Duration.ofMinutes(20)).toString();
    CommandLineHarness none = new CommandLineHarness();
    assertThat(none.run("replay", "--file", whole.toString(), "--from", first, "--state", "live"))
        .isEqualTo(11);
    assertThat(none.err()).contains("--state live: no checkpoint of the monitor before " + first);
    CommandLineHarness kafka = new CommandLineHarness();
    assertThat(kafka.run(command("replay", onKafka("--from", first, "--state", early.toString()))))
        .isEqualTo(11);
    assertThat(kafka.err()).contains("no checkpoint of the monitor before");
  }

  @Test
  void aRangeThatIsNotOverIsRefused() {
    CommandLineHarness harness =
        archive("soon", "--to", CommandLineHarness.NOW.minusSeconds(1).toString());
    assertThat(lastCode).isEqualTo(2);
    assertThat(harness.err()).contains("is not over yet", "ask again after 2026-11-30T");
    assertThat(folder.resolve("soon")).doesNotExist();
  }

  @Test
  void aReplayThatNeedsLaterScoresThanWereKeptIsRefused() {
    Path archive = archived("short", 0, "--to", FROM.toString());
    CommandLineHarness longer = new CommandLineHarness();
    assertThat(
            longer.run(
                "replay", "--file", archive.toString(), "--state", "cold", "--horizon", "1h"))
        .isEqualTo(11);
    assertThat(longer.err()).contains("the archive holds records until", "needs those until");
  }

  @Test
  void aDamagedManifestIsAProblemToo() throws IOException {
    Path archive = archived("cut", 0, "--to", FROM.toString());
    Path manifest = archive.resolve("manifest.json");
    String text = Files.readString(manifest);
    Files.writeString(manifest, text.substring(0, text.length() / 2));
    CommandLineHarness verify = new CommandLineHarness();
    assertThat(verify.run("archive", "--verify", archive.toString())).isEqualTo(10);
    assertThat(verify.err()).contains("manifest.json: is no JSON");
  }

  @Test
  void saysThatARangeHasNoData() throws IOException {
    String later = ArchiveTopics.START.plus(Duration.ofDays(3)).toString();
    CommandLineHarness replay = new CommandLineHarness();
    assertThat(replay.run(command("replay", onKafka("--from", later)))).isEqualTo(11);
    assertThat(replay.err()).contains("no request or score to judge from " + later);
    archived("nothing", 11, "--from", later);
    CommandLineHarness filtered = new CommandLineHarness();
    assertThat(filtered.run(command("replay", onKafka("--deployment", "typo")))).isEqualTo(11);
    assertThat(filtered.err()).contains("no window and no finding of the series asked for");
  }

  @Test
  void saysThatTheRetentionHasPassed() throws Exception {
    ArchiveTopics shortened = new ArchiveTopics(broker.bootstrapServers(), "shortened");
    shortened.create();
    shortened.fill();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin
          .deleteRecords(
              Map.of(
                  new TopicPartition(shortened.topics.requests(), 1),
                  RecordsToDelete.beforeOffset(3_000)))
          .all()
          .get();
    }
    String[] range = {"--from", FROM.minusSeconds(4_000).toString(), "--to", TO.toString()};
    for (String command : List.of("replay", "archive")) {
      CommandLineHarness harness = new CommandLineHarness();
      List<String> arguments = new ArrayList<>(List.of(command));
      arguments.addAll(List.of(range));
      arguments.addAll(
          List.of("--bootstrap-servers", broker.bootstrapServers(), "--topic-prefix", "shortened"));
      if (command.equals("archive")) {
        arguments.addAll(List.of("--out", folder.resolve("short").toString()));
      }
      assertThat(harness.run(arguments.toArray(String[]::new))).as(command).isEqualTo(11);
      assertThat(harness.err())
          .contains("shortened-requests-v1", "are gone, past its retention. Whole from ");
      assertThat(harness.out()).isEmpty();
    }
    // A run that was refused leaves a folder that can be used.
    CommandLineHarness whole = new CommandLineHarness();
    assertThat(
            whole.run(
                "archive",
                "--bootstrap-servers",
                broker.bootstrapServers(),
                "--topic-prefix",
                "shortened",
                "--out",
                folder.resolve("short").toString()))
        .as(whole.err())
        .isZero();
  }

  @Test
  void keepsWhatStoodOnTheTopics_forOthersToRead() throws IOException {
    Path archive = archived("plain", 0, "--from", FROM.toString(), "--to", TO.toString());
    JsonNode manifest = JSON.readTree(archive.resolve("manifest.json").toFile());
    assertThat(manifest.path("complete").asBoolean()).isTrue();
    assertThat(manifest.path("codec").asText()).isEqualTo("zstd");
    assertThat(manifest.path("from").asText()).isEqualTo(FROM.toString());
    assertThat(manifest.path("files")).isNotEmpty();
    for (JsonNode file : manifest.path("files")) {
      assertThat(file.path("sha256").asText()).hasSize(64);
      assertThat(file.path("to_offset").asLong()).isGreaterThan(file.path("from_offset").asLong());
    }
    // Only what a replay needs is kept, although single records are a day ahead of their time.
    assertThat(manifest.path("files").toString()).contains("judge-state");
    long records = 0;
    for (JsonNode file : manifest.path("files")) {
      records += file.path("role").asText().equals("requests") ? file.path("records").asLong() : 0;
    }
    assertThat(records).isBetween(8_000L, 25_000L);
    assertThat(archive.resolve("schemas")).isDirectoryContaining("glob:**.avsc");
  }

  private CommandLineHarness archive(String name, String... more) {
    CommandLineHarness harness = new CommandLineHarness();
    List<String> arguments =
        new ArrayList<>(List.of("archive", "--out", folder.resolve(name).toString()));
    arguments.addAll(Arrays.asList(onKafka(more)));
    lastCode = harness.run(arguments.toArray(String[]::new));
    return harness;
  }

  private int lastCode;

  private Path archived(String name, int code, String... more) {
    CommandLineHarness harness = archive(name, more);
    assertThat(lastCode).as(harness.err()).isEqualTo(code);
    return folder.resolve(name);
  }

  private static String[] onKafka(String... more) {
    return Stream.concat(
            Stream.of(
                "--bootstrap-servers", broker.bootstrapServers(), "--topic-prefix", "archived"),
            Stream.of(more))
        .toArray(String[]::new);
  }

  private static String[] command(String name, String... more) {
    return Stream.concat(Stream.of(name), Stream.of(more)).toArray(String[]::new);
  }

  /**
   * Windows, findings and the summary of a replay. Windows of series that close together come in
   * the order of partitions, so lines are sorted; findings are of one deployment and are not.
   */
  private List<String> replayed(String name, String... arguments) throws IOException {
    Path windows = folder.resolve(name + ".ndjson");
    CommandLineHarness harness = new CommandLineHarness();
    List<String> all = new ArrayList<>(List.of("replay", "--json", "--windows"));
    all.add(windows.toString());
    all.addAll(List.of(arguments));
    assertThat(harness.run(all.toArray(String[]::new))).as(harness.err()).isZero();
    List<String> lines = new ArrayList<>(harness.out().lines().toList());
    JsonNode summary = JSON.readTree(lines.remove(lines.size() - 1));
    lines.add(summary.path("findings") + " " + summary.path("windows"));
    lines.addAll(Files.readAllLines(windows).stream().sorted().toList());
    return lines;
  }

  private static List<Path> files(Path archive) throws IOException {
    try (Stream<Path> all = Files.list(archive)) {
      return all.filter(path -> path.toString().endsWith(".avro")).sorted().toList();
    }
  }
}
