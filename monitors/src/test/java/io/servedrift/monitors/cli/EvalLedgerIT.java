package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.ledger.io.InfoEndpoint;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.topology.LiveTopics;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledger on Kafka, and a recorded score on its way to the live judge. */
class EvalLedgerIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PARTITIONS = 2;

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

  private record Ran(int code, String out, String err) {
    JsonNode json() throws IOException {
      return JSON.readTree(out);
    }
  }

  private static Ran run(String prefix, String... command) {
    List<String> all = new ArrayList<>(List.of(command));
    int end = all.indexOf("--");
    all.addAll(
        end < 0 ? all.size() : end,
        List.of("--topic-prefix", prefix, "--bootstrap-servers", broker.bootstrapServers()));
    CommandLineHarness harness = new CommandLineHarness().clock(Clock.systemUTC());
    int code = harness.run(all.toArray(String[]::new));
    return new Ran(code, harness.out(), harness.err());
  }

  private static String system(int batch) {
    return "\"deployment\":\"image-gen\",\"config\":{\"batching\":{\"max_batch_size\":"
        + batch
        + "}},\"model\":{\"name\":\"flux\"}";
  }

  /** A node says what it runs. */
  private static void beat(String prefix, int batch) throws Exception {
    String json =
        "{\"type\":\"heartbeat\",\"at\":\""
            + Instant.now()
            + "\",\"node\":\"gpu-0\","
            + system(batch)
            + "}";
    Reading.Accepted read =
        (Reading.Accepted) new EventReader().read(json.getBytes(StandardCharsets.UTF_8));
    List<SpecificRecord> records = new ArrayList<>(read.registrations());
    records.add(read.event());
    try (EventPublisher publisher =
        new EventPublisher(
            PublisherSettings.defaults(broker.bootstrapServers()), new Topics(prefix))) {
      for (SpecificRecord record : records) {
        publisher.publish(record).get(30, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void aScoreBecomesStaleWithItsConfiguration_andIsMeasuredAnew() throws Exception {
    assertThat(run("ledger", "topics", "--apply").code()).isZero();
    beat("ledger", 1);
    try (InfoEndpoint endpoint = new InfoEndpoint("{" + system(1) + "}")) {
      String[] measure = {
        "eval",
        "record",
        "--endpoint",
        endpoint.address(),
        "--json-path",
        "score",
        "--name",
        "geneval",
        "--metric",
        "overall",
        "--stderr",
        "0.01",
        "--json",
        "--",
        "sh",
        "-c",
        "echo '{\"score\":0.7}' > {results}/out.json # {endpoint}"
      };
      Ran recorded = run("ledger", measure);
      assertThat(recorded.code()).as(recorded.err()).isZero();
      String id = recorded.json().at("/recorded/0/eval/eval_id").asText();

      Ran list = run("ledger", "eval", "list", "--json");
      assertThat(list.json().at("/evals/0/eval_id").asText()).isEqualTo(id);
      assertThat(list.json().at("/evals/0/config/batching/max_batch_size").asInt()).isEqualTo(1);
      assertThat(run("ledger", "eval", "check").code()).isZero();

      beat("ledger", 8);
      Ran stale = run("ledger", "eval", "check", "--json");
      assertThat(stale.code()).isEqualTo(10);
      assertThat(stale.json().at("/running/0/node").asText()).isEqualTo("gpu-0");
      assertThat(stale.json().at("/evals/0/changed_axes/0").asText())
          .isEqualTo("batching.max_batch_size: 1 -> 8");

      endpoint.says("{" + system(8) + "}");
      Ran again = run("ledger", "eval", "rerun", id, "--endpoint", endpoint.address(), "--yes");
      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.out()).contains("supersedes " + id);
      Ran current = run("ledger", "eval", "check");
      assertThat(current.code()).as(current.out()).isZero();
      assertThat(current.out()).contains("1 scores: 1 current");
      assertThat(run("ledger", "eval", "list", "--all", "--json").json().path("evals")).hasSize(2);
    }
  }

  @Test
  void recordsOnceOnTheTopic_alsoBesideAFile() throws Exception {
    assertThat(run("once", "topics", "--apply").code()).isZero();
    Path ledger = folder.resolve("ledger.ndjson");
    String config = Files.writeString(folder.resolve("c.json"), "{" + system(1) + "}").toString();
    String[] record = {
      "eval",
      "record",
      "--ledger",
      ledger.toString(),
      "--name",
      "n",
      "--metric",
      "m",
      "--value",
      "1",
      "--model-config",
      config
    };
    assertThat(run("once", record).out()).startsWith("recorded");
    assertThat(run("once", record).out()).startsWith("already recorded");
    Ran both = run("once", "eval", "list", "--json", "--ledger", ledger.toString());
    assertThat(both.json().path("evals")).hasSize(1);
    assertThat(run("once", "eval", "list", "--json").json().path("evals")).hasSize(1);
    assertThat(run("once", "eval", "check").code()).isEqualTo(11);
  }

  @Test
  void saysWhichTopicIsMissing() {
    Ran ran = run("nowhere", "eval", "list");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("no topic nowhere-evals-v1");
  }

  @Test
  void theLiveJudgeComparesWithARecordedScore() throws Exception {
    LiveTopics live = new LiveTopics(broker.bootstrapServers());
    live.create(PARTITIONS);
    String config = Files.writeString(folder.resolve("c.json"), "{" + system(8) + "}").toString();
    Ran recorded =
        run(
            live.topics.prefix(),
            "eval",
            "record",
            "--name",
            "suite",
            "--metric",
            "clip",
            "--value",
            "0.33",
            "--n",
            "553",
            "--stderr",
            "0.0012",
            "--deployment",
            "image-gen",
            "--model-config",
            config,
            "--json",
            "--to",
            SteadyTraffic.START.minus(Duration.ofHours(1)).toString());
    assertThat(recorded.code()).as(recorded.err()).isZero();
    JsonNode eval = recorded.json().at("/recorded/0/eval");
    Policy policy = Policy.parse("metrics: {clip: {eval: suite/clip}}", "test");
    try (MonitorStreams monitor =
        live.monitor(
            "eval-judge",
            folder.resolve("state"),
            PaneSettings.defaults(),
            Judge.maker(policy, PaneSettings.defaults(), new MetricLayouts(), ConfigAxes.UNKNOWN),
            new Tally())) {
      monitor.start();
      await().atMost(Duration.ofMinutes(2)).until(() -> isCopied(live));
      live.fill(
          new ArrayList<>(
              new SteadyTraffic(5, 40)
                  .config(eval.path("config_id").asText())
                  .model(eval.path("model_id").asText())
                  .run(Duration.ofHours(3))
                  .take()),
          PARTITIONS);
      await()
          .atMost(Duration.ofMinutes(3))
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(
              () ->
                  assertThat(baselines(live))
                      .contains("eval " + eval.path("eval_id").asText() + " unexplained"));
    }
  }

  private static boolean isCopied(LiveTopics live) {
    try (Consumer<byte[], byte[]> consumer = live.consumer()) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(live.topics.servingEvents()).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      boolean found = false;
      for (var record : consumer.poll(Duration.ofSeconds(1))) {
        found |= EventCodec.decode(record.value()) instanceof EvalResult;
      }
      return found;
    }
  }

  private static List<String> baselines(LiveTopics live) {
    List<String> found = new ArrayList<>();
    for (String hex : live.findings()) {
      Finding finding = (Finding) EventCodec.decode(HexFormat.of().parseHex(hex));
      JsonNode body = JsonOutput.parse(finding.getBody());
      found.add(
          body.at("/baseline/kind").asText()
              + " "
              + body.at("/baseline/id").asText()
              + " "
              + body.at("/verdict/cause").asText());
    }
    return found;
  }
}
