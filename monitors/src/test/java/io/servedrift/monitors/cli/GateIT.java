package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.ScenePrompts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The release gate against the project's own nodes and scorer, as they are packaged: the same
 * configuration twice, and in one of them cached conditionings lose precision in large batches.
 */
@Tag("alone")
class GateIT {
  private static final Path NODE = Path.of("../serving/target/servedrift-serving.jar");
  private static final Path MODELS = Path.of("../serving/models");
  private static final int PROMPTS = 32;
  private static final String POLICY =
      """
      minimum_pairs: 30
      outputs: {identical_share: 0.8, cosine_share: 0.8}
      scores: {clip: {margin_sd: 0.3}, aesthetic: {margin_sd: 0.3}}
      """;

  /** No broker is there: requests are served all the same. */
  private static final List<String> COMMON =
      List.of("--bootstrap-servers", "127.0.0.1:9", "--precision", "bf16", "--log-level", "error");

  @TempDir Path folder;

  private Path prompts() throws IOException {
    ObjectMapper json = new ObjectMapper();
    StringBuilder lines = new StringBuilder();
    for (ScenePrompts.ScenePrompt prompt : new ScenePrompts(1, .6).popular().subList(0, PROMPTS)) {
      lines
          .append(
              json.createObjectNode()
                  .put("prompt", prompt.text())
                  .put("class", prompt.promptClass())
                  .put("steps", 6))
          .append('\n');
    }
    return Files.writeString(folder.resolve("prompts.ndjson"), lines);
  }

  @Test
  void findsTheCacheFault_andClearsTheRest() throws Exception {
    ServingFiles files = ServingFiles.find(NODE, MODELS);
    Path report = folder.resolve("report");
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    CommandLineHarness harness = new CommandLineHarness();
    int code;
    try (StopSignal signal = StopSignal.installForWork();
        DemoNode old =
            DemoNode.start(
                files, COMMON, DemoNode.batching(DemoFault.NONE), folder.resolve("old"), signal);
        DemoNode fresh =
            DemoNode.start(
                files,
                COMMON,
                DemoNode.batching(DemoFault.CACHED_CONDITIONING_PRECISION),
                folder.resolve("new"),
                signal);
        DemoScorer scorer = DemoScorer.start(files, folder.resolve("scorer"), signal)) {
      code =
          harness.run(
              "gate",
              "--old",
              old.address(),
              "--new",
              fresh.address(),
              "--scorer",
              scorer.address(),
              "--prompts",
              prompts().toString(),
              "--policy",
              policy.toString(),
              "--concurrency",
              "8",
              "--only",
              "seed_parity,cache_parity,rollback",
              "--after-flip",
              "20",
              "--report",
              report.toString());
    }

    JsonNode document = new ObjectMapper().readTree(Files.readString(report.resolve("gate.json")));
    String told = harness.out() + harness.err();
    assertThat(code).as(told).isEqualTo(10);
    assertThat(state(document, "seed_parity")).as(told).isEqualTo("pass");
    assertThat(state(document, "cache_parity")).as(told).isEqualTo("fail");
    assertThat(state(document, "rollback")).as(told).isEqualTo("pass");
    // A fault on purpose is no part of a configuration, and so no difference between the sides.
    assertThat(document.at("/changed/axes")).isEmpty();
    assertThat(document.at("/changed/weights").asText()).isEqualTo("equal");
    assertThat(document.at("/costs")).isNotEmpty();
    assertThat(report.resolve("gate.html")).isRegularFile();
    assertThat(report.resolve("gate.md")).isRegularFile();
    assertThat(report.resolve("gate.xml")).isRegularFile();
  }

  private static String state(JsonNode document, String check) {
    for (JsonNode one : document.path("checks")) {
      if (one.path("name").asText().equals(check)) {
        return one.path("state").asText();
      }
    }
    return "missing";
  }
}
