package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.schemas.EventJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recorded score reaches the judge: the ledger beside the traffic in a replay. */
class EvalBaselineTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SYSTEM =
      "{\"config\":{\"batching\":{\"max_batch_size\":8}},\"model\":{\"name\":\"flux\"}}";

  @TempDir private Path folder;

  /** Live scores of SteadyTraffic have a mean of about .3015. */
  private List<JsonNode> findingsAgainst(String value) throws IOException {
    String system = Files.writeString(folder.resolve("system.json"), SYSTEM).toString();
    Path ledger = folder.resolve("ledger-" + value + ".ndjson");
    CommandLineHarness record = new CommandLineHarness();
    assertThat(
            record.run(
                "eval",
                "record",
                "--ledger",
                ledger.toString(),
                "--name",
                "suite",
                "--metric",
                "clip",
                "--value",
                value,
                "--n",
                "553",
                "--stderr",
                "0.0012",
                "--deployment",
                "image-gen",
                "--model-config",
                system,
                "--json",
                "--to",
                SteadyTraffic.START.plus(Duration.ofMinutes(70)).toString()))
        .isZero();
    JsonNode eval = JSON.readTree(record.out()).at("/recorded/0/eval");
    String traffic =
        new SteadyTraffic(5, 40)
                .config(eval.path("config_id").asText())
                .model(eval.path("model_id").asText())
                .run(Duration.ofHours(3))
                .take()
                .stream()
                .map(EventJson::write)
                .collect(Collectors.joining("\n"));
    Path requests = Files.writeString(folder.resolve("requests.ndjson"), traffic);
    Path policy =
        Files.writeString(folder.resolve("policy.yaml"), "metrics: {clip: {eval: suite/clip}}");
    CommandLineHarness replay = new CommandLineHarness();
    assertThat(
            replay.run(
                "replay",
                "--file",
                requests.toString(),
                ledger.toString(),
                "--policy",
                policy.toString(),
                "--json"))
        .as(replay.err())
        .isZero();
    return replay
        .out()
        .lines()
        .map(JsonOutput::parse)
        .filter(line -> line.at("/baseline/kind").asText().equals("eval"))
        .filter(line -> line.at("/baseline/id").asText().equals(eval.path("eval_id").asText()))
        .toList();
  }

  @Test
  void opensAFinding_whenLiveScoresLieApartFromIt() throws IOException {
    List<JsonNode> found = findingsAgainst("0.33");
    assertThat(found).hasSize(1);
    assertThat(found.get(0).at("/baseline/eval").asText()).isEqualTo("suite/clip");
    assertThat(found.get(0).path("direction").asText()).isEqualTo("worse");
    assertThat(found.get(0).at("/verdict/cause").asText()).isEqualTo("unexplained");
  }

  @Test
  void staysSilent_whenLiveScoresAreWhatWasRecorded() throws IOException {
    assertThat(findingsAgainst("0.3015")).isEmpty();
  }
}
