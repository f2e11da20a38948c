package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What runtimes write, from the command line. */
class RuntimeFormatsTest {
  @TempDir private Path folder;
  private final CommandLineHarness harness = new CommandLineHarness();
  private Path log;

  @BeforeEach
  void write() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      lines.append(
          ("{\"timestamp\":\"2026-09-20T10:%02d:%02d\",\"event\":\"request.finished\","
                  + "\"rid\":\"r-%d\",\"obj\":{},\"out\":{\"meta_info\":{\"e2e_latency\":1.5,"
                  + "\"prompt_tokens\":10}}}\n")
              .formatted(i / 60, i % 60, i));
    }
    log = Files.writeString(folder.resolve("server.log"), lines);
  }

  @Test
  void replaysALogOfSglang_withAConfigurationGivenBeside() throws IOException {
    Path info =
        Files.writeString(folder.resolve("info.json"), "{\"model_path\":\"m\",\"tp_size\":2}");

    int code =
        harness.run(
            "replay",
            "--format",
            "sglang-log",
            "--as-deployment",
            "llm",
            "--time-zone",
            "UTC",
            "--as-config",
            info.toString(),
            "--not-after",
            "2027-01-01T00:00:00Z",
            "--json",
            "--file",
            log.toString());

    assertThat(harness.err()).isEmpty();
    assertThat(code).isZero();
    String[] out = harness.out().strip().split("\n", -1);
    JsonNode summary = new ObjectMapper().readTree(out[out.length - 1]);
    assertThat(summary.findPath("accepted").asInt()).isEqualTo(300);
    assertThat(summary.findPath("registrations").asInt()).isEqualTo(1);
  }

  @Test
  void saysWhatALogOfLocalTimesNeeds() {
    int code =
        harness.run(
            "replay", "--format", "sglang-log", "--as-deployment", "llm", "--file", log.toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("300 times without a zone", "--time-zone");
  }

  @Test
  void saysThatTheDeploymentIsMissing() {
    int code = harness.run("replay", "--format", "sglang-log", "--file", log.toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("--as-deployment");
  }

  @Test
  void refusesOptionsOfRuntimesForOtherFormats_andAFileWithoutConfiguration() throws IOException {
    assertThat(harness.run("replay", "--time-zone", "UTC", "--file", log.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("--time-zone belongs to the format of a runtime");

    Path nothing = Files.writeString(folder.resolve("x.txt"), "nothing");
    assertThat(
            harness.run(
                "replay",
                "--format",
                "sglang-log",
                "--as-deployment",
                "llm",
                "--as-config",
                nothing.toString(),
                "--file",
                log.toString()))
        .isEqualTo(2);
    assertThat(harness.err()).contains("holds no configuration");
  }

  @Test
  void putsSeveralSourcesOfAConfigurationTogether() throws IOException {
    Path info =
        Files.writeString(folder.resolve("info.json"), "{\"model_path\":\"m\",\"tp_size\":2}");
    Path variables = Files.writeString(folder.resolve("pod.env"), "SGLANG_CACHE_DIT_ENABLED=1\n");
    Path windows = folder.resolve("windows.ndjson");

    int code =
        harness.run(
            "replay",
            "--format",
            "sglang-log",
            "--as-deployment",
            "llm",
            "--time-zone",
            "UTC",
            "--as-config",
            variables.toString(),
            "--as-config",
            info.toString(),
            "--windows",
            windows.toString(),
            "--file",
            log.toString());

    assertThat(harness.err()).isEmpty();
    assertThat(code).isZero();
    String both =
        ConfigFingerprint.ofConfig(
                (ObjectNode)
                    new ObjectMapper()
                        .readTree(
                            "{\"runtime\":{\"name\":\"sglang\"},\"hardware\":{\"parallelism\":{\"tensor\":2}},"
                                + "\"extra\":{\"environment\":{\"SGLANG_CACHE_DIT_ENABLED\":\"1\"}}}"))
            .id();
    assertThat(Files.readString(windows)).contains("\"config_id\":\"" + both + "\"");
  }

  @Test
  void namesEverySourceOfAConfigurationThatCannotBeUsed() throws IOException {
    Path nothing = Files.writeString(folder.resolve("x.txt"), "nothing");
    Path missing = folder.resolve("missing.json");

    int code =
        harness.run(
            "replay",
            "--format",
            "sglang-log",
            "--as-deployment",
            "llm",
            "--as-config",
            nothing.toString(),
            "--as-config",
            missing.toString(),
            "--file",
            log.toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err())
        .contains(
            "--as-config " + nothing + ": holds no configuration",
            "--as-config " + missing + ": must be a readable file");
  }

  @Test
  void refusesATopicThatCannotBeRead() {
    String[][] refused = {
      {"nothing to read", "import"},
      {"takes no files beside it", "import", "--from-topic", "t", "a.log"},
      {"--places belongs to files", "import", "--from-topic", "t", "--places", "p.json"},
      {"must be 1 to 249", "import", "--from-topic", "a/b"},
      {"need their order", "import", "--from-topic", "t", "--format", "sglang-log"},
      {"without mapping", "import", "--from-topic", "t", "--format", "csv"},
      {"belong to history", "import", "--from-topic", "t", "--force"},
      {"belong to history", "import", "--from-topic", "t", "--not-after", "2026-09-20T10:00:00Z"},
      {"--follow belongs to files", "import", "--from-topic", "t", "--follow"},
      {"belong to --from-topic", "import", "--source-group", "g", log.toString()},
      {"belong to --from-topic", "import", "--source-kafka", "a=b", log.toString()},
      {"--places belongs to --follow", "import", "--places", "p.json", log.toString()},
    };
    for (String[] each : refused) {
      CommandLineHarness once = new CommandLineHarness();
      int code = once.run(Arrays.copyOfRange(each, 1, each.length));
      assertThat(once.err()).contains(each[0]);
      assertThat(code).as(each[0]).isEqualTo(2);
    }
  }

  @Test
  void refusesToFollowWhatHasNoPlace() {
    assertThat(harness.run("import", "--follow", "-")).isEqualTo(2);
    assertThat(harness.err()).contains("--follow needs files");
    assertThat(harness.run("import", "--from-end", log.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("--from-end belongs to --follow");
    assertThat(harness.run("import", "--follow", "--format", "csv", log.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("without mapping");
  }
}
