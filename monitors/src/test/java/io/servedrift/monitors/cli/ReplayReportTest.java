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

class ReplayReportTest {
  @TempDir Path dir;
  private final CommandLineHarness harness = new CommandLineHarness();
  private Path traffic;
  private Path report;

  @BeforeEach
  void write() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int second = 0; second < 600; second++) {
      lines.append(
          """
          {"type":"request","request_id":"r-%d","deployment":"d%d","status":"ok",\
          "finished_at":%d,"latency_seconds":1.5}
          """
              .formatted(second, second % 2, 1_764_500_400_000L + second * 1000L));
    }
    lines.append(
        """
        {"type":"serving_event","event_id":"e-1","deployment":"d0","kind":"cache_flush",\
        "at":1764500460000}
        """);
    traffic = Files.writeString(dir.resolve("my traffic.ndjson"), lines);
    report = dir.resolve("report");
  }

  private JsonNode document() throws IOException {
    return new ObjectMapper().readTree(report.resolve("report.json").toFile());
  }

  @Test
  void writesPageAndDocument_withTheCommandThatGivesThemAgain() throws IOException {
    int code =
        harness.run(
            "replay", "--file", traffic.toString(), "--report", report.toString(), "--pane", "30s");
    assertThat(code).isZero();
    assertThat(harness.err()).contains("report: " + report.resolve("report.html"));
    assertThat(report.resolve("report.html")).isNotEmptyFile();
    JsonNode document = document();
    assertThat(document.at("/run/command").asText())
        .isEqualTo(
            "./servedrift replay --file '" + traffic + "' --report " + report + " --pane 30s");
    assertThat(document.at("/run/settings/pane").asText()).startsWith("30s (");
    assertThat(document.at("/run/summary/records").asLong()).isEqualTo(601);
    assertThat(document.at("/run/versions/java").asText()).isNotEmpty();
    assertThat(document.path("partial").asBoolean()).isFalse();
    assertThat(document.path("made_at").asText()).isEqualTo(CommandLineHarness.NOW.toString());
    assertThat(document.at("/serving_events/0/kind").asText()).isEqualTo("cache_flush");
    assertThat(document.path("timelines").findValuesAsText("deployment"))
        .containsExactlyInAnyOrder("d0", "d1", "d0", "d1");
  }

  @Test
  void isAboutTheWantedDeploymentAlone() throws IOException {
    int code =
        harness.run(
            "replay",
            "--file",
            traffic.toString(),
            "--report",
            report.toString(),
            "--deployment",
            "d1");
    assertThat(code).isZero();
    assertThat(document().path("timelines").findValuesAsText("deployment")).containsOnly("d1");
    assertThat(document().path("serving_events")).isEmpty();
  }

  @Test
  void refusesAnOutputUrl_thatIsNone_orLeadsNowhere() {
    int code =
        harness.run(
            "replay",
            "--file",
            traffic.toString(),
            "--report",
            report.toString(),
            "--output-url",
            "javascript:{request_id}");
    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("--output-url javascript:", "must be an http://");
    assertThat(report).doesNotExist();
    CommandLineHarness without = new CommandLineHarness();
    assertThat(
            without.run(
                "replay", "--file", traffic.toString(), "--output-url", "https://a/{request_id}"))
        .isEqualTo(2);
    assertThat(without.err()).contains("--output-url belongs to --report");
  }

  @Test
  void refusesAPathThatIsNoFolder_beforeAnythingIsRead() throws IOException {
    Files.writeString(report, "mine");
    int code = harness.run("replay", "--file", traffic.toString(), "--report", report.toString());
    assertThat(code).isEqualTo(2);
    assertThat(harness.err()).contains("--report " + report + ": is no folder");
    assertThat(harness.out()).isEmpty();
    assertThat(report).hasContent("mine");
  }
}
