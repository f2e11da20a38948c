package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that talk to a broker and end. */
class BrokerCommandsIT {

  private static EmbeddedBroker broker;

  @TempDir private Path folder;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startTemporary();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void topicsReportsThenRepairsThenFindsNothing() throws IOException {
    CommandLineHarness check = new CommandLineHarness();
    assertThat(check.run(topics("first"))).isEqualTo(10);
    assertThat(check.out()).contains("first-requests-v1: missing", "--apply repairs what can be");

    CommandLineHarness apply = new CommandLineHarness();
    assertThat(apply.run(topics("first", "--apply"))).isZero();
    assertThat(apply.out()).contains("(repaired)");

    CommandLineHarness again = new CommandLineHarness();
    assertThat(again.run(topics("first", "--json"))).isZero();
    JsonNode document = new ObjectMapper().readTree(again.out());
    assertThat(document.path("topics").asInt()).isPositive();
    assertThat(document.path("differences")).isEmpty();
  }

  @Test
  void importWritesEventsAndCountsEveryRow() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("events.ndjson"),
            request("r-1", "2026-11-30T10:00:00Z")
                + request("r-2", "2026-11-30T09:59:00Z")
                + "not json\n"
                + request("r-3", "2027-01-01T00:00:00Z"));
    Path letters = folder.resolve("letters.ndjson");
    CommandLineHarness harness = new CommandLineHarness();

    int code =
        harness.run(
            "import",
            file.toString(),
            "--json",
            "--dead-letters",
            letters.toString(),
            "--bootstrap-servers",
            broker.bootstrapServers());

    assertThat(harness.err()).isEmpty();
    assertThat(code).isZero();
    JsonNode document = new ObjectMapper().readTree(harness.out());
    assertThat(document.path("topic_prefix").asText()).isEqualTo("history");
    assertThat(document.at("/read/read").asInt()).isEqualTo(4);
    assertThat(document.at("/read/accepted").asInt()).isEqualTo(2);
    assertThat(document.at("/read/rejected").asInt()).isEqualTo(2);
    assertThat(document.at("/written_by_type/request").asInt()).isEqualTo(2);
    assertThat(document.path("ticks").asInt()).isPositive();
    assertThat(Files.readAllLines(letters)).hasSize(2);
  }

  @Test
  void baselinePinWritesItsDecision_andAcceptNeedsAFindingThatExists() throws IOException {
    assertThat(new CommandLineHarness().run(topics("decide", "--apply"))).isZero();
    CommandLineHarness pin = new CommandLineHarness();
    int code =
        pin.run(
            "baseline",
            "pin",
            "--deployment",
            "image-gen",
            "--from",
            "2026-11-23T00:00:00Z",
            "--to",
            "2026-11-30T00:00:00Z",
            "--why",
            "good week",
            "--json",
            "--topic-prefix",
            "decide",
            "--bootstrap-servers",
            broker.bootstrapServers());
    assertThat(pin.err()).isEmpty();
    assertThat(code).isZero();
    JsonNode decision = new ObjectMapper().readTree(pin.out());
    assertThat(decision.path("kind").asText()).isEqualTo("baseline_pin");
    assertThat(decision.path("why").asText()).isEqualTo("good week");

    CommandLineHarness accept = new CommandLineHarness();
    assertThat(
            accept.run(
                "accept",
                "f-1",
                "--why",
                "new model",
                "--topic-prefix",
                "decide",
                "--bootstrap-servers",
                broker.bootstrapServers()))
        .isEqualTo(2);
    assertThat(accept.err()).contains("finding f-1: not in decide-findings-v1");
  }

  @Test
  void importFails_whenNothingOfTheFileIsUsable() throws IOException {
    Path bad = Files.writeString(folder.resolve("bad.ndjson"), "rubbish\n{}\n");
    CommandLineHarness harness = new CommandLineHarness();
    int code =
        harness.run(
            "import",
            bad.toString(),
            "--topic-prefix",
            "all-bad",
            "--bootstrap-servers",
            broker.bootstrapServers());
    assertThat(code).isEqualTo(11);
    assertThat(harness.err())
        .contains("nothing was imported: of 2 rows 2 cannot be used")
        .contains("bad_json=1", "unknown_type=1");
    assertThat(harness.out()).contains("2 rows read: 0 accepted, 2 rejected, 0 skipped");
  }

  @Test
  void importRefusesLiveTopics() throws IOException {
    Path file = Files.writeString(folder.resolve("a.ndjson"), request("r", "2026-11-30T10:00:00Z"));
    CommandLineHarness harness = new CommandLineHarness();

    int code =
        harness.run(
            "import",
            file.toString(),
            "--topic-prefix",
            "servedrift",
            "--bootstrap-servers",
            broker.bootstrapServers());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("prefix=servedrift");
  }

  @Test
  void saysUnreachable_whenNoBrokerAnswers() throws IOException {
    CommandLineHarness harness = new CommandLineHarness();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // Listens but never answers: the connection opens and nothing comes back.
      int code = harness.run("topics", "--bootstrap-servers", "127.0.0.1:" + silent.getLocalPort());

      assertThat(code).isEqualTo(12);
    }
    assertThat(harness.err()).startsWith("servedrift: ").contains("127.0.0.1:");
  }

  @Test
  void replayAndArchiveSayUnreachable_whenNoBrokerAnswers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String server = "127.0.0.1:" + silent.getLocalPort();
      CommandLineHarness replay = new CommandLineHarness();
      assertThat(
              replay.run(
                  "replay",
                  "--bootstrap-servers",
                  server,
                  "--kafka",
                  "default.api.timeout.ms=1000"))
          .isEqualTo(12);
      assertThat(replay.err()).contains("Kafka did not answer");
      assertThat(replay.out()).isEmpty();
      CommandLineHarness archive = new CommandLineHarness();
      assertThat(
              archive.run(
                  "archive",
                  "--out",
                  folder.resolve("archive").toString(),
                  "--bootstrap-servers",
                  server,
                  "--kafka",
                  "default.api.timeout.ms=1000"))
          .isEqualTo(12);
      assertThat(archive.err()).contains("Kafka did not answer");
    }
  }

  @Test
  void saysUsage_whenNoBrokerIsNamed() {
    CommandLineHarness harness = new CommandLineHarness();

    assertThat(harness.run("topics")).isEqualTo(2);
    assertThat(harness.err()).contains("needs --bootstrap-servers HOST:PORT or --embedded DIR");
  }

  private static String[] topics(String prefix, String... more) {
    String[] arguments = new String[5 + more.length];
    arguments[0] = "topics";
    arguments[1] = "--bootstrap-servers";
    arguments[2] = broker.bootstrapServers();
    arguments[3] = "--topic-prefix";
    arguments[4] = prefix;
    System.arraycopy(more, 0, arguments, 5, more.length);
    return arguments;
  }

  private static String request(String id, String finishedAt) {
    return """
    {"type":"request","request_id":"%s","deployment":"d","finished_at":"%s","status":"ok",\
    "latency_seconds":1.5}
    """
        .formatted(id, finishedAt);
  }
}
