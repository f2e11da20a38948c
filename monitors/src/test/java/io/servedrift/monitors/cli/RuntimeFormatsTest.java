package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void refusesToFollowWhatHasNoPlace() {
    assertThat(harness.run("import", "--follow", "-")).isEqualTo(2);
    assertThat(harness.err()).contains("--follow needs files");
    assertThat(harness.run("import", "--from-end", log.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("--from-end belongs to --follow");
    assertThat(harness.run("import", "--follow", "--format", "csv", log.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("without mapping");
  }
}
