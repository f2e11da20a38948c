package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingCommandsTest {
  private static final String FINDING =
      """
      {"finding_id":"f-1","deployment":"image-gen","metric":"clip","statistic":"mean",\
      "direction":"worse","onset_at":"2026-11-30T10:00:00Z","state":"open","severity":"page",\
      "verdict":{"cause":"cache","why":"hits lost \\u001b[31m 0.022","ruled_out":\
      [{"cause":"model","because":"model_id unchanged"}]}}
      """;

  @TempDir Path dir;
  private final CommandLineHarness harness = new CommandLineHarness();
  private Path findings;

  @BeforeEach
  void write() throws IOException {
    findings = Files.writeString(dir.resolve("findings.ndjson"), FINDING);
  }

  @Test
  void explainShowsEverythingOfAFinding_withoutControlCharacters() {
    assertThat(harness.run("explain", "f-1", "--file", findings.toString())).isZero();
    assertThat(harness.out())
        .contains("image-gen  clip mean worse", "cause cache: hits lost ?[31m 0.022")
        .contains("    - cause  model", "because  model_id unchanged")
        .doesNotContain("\u001b");
  }

  @Test
  void explainGivesJson() throws IOException {
    assertThat(harness.run("explain", "f-1", "--json", "--file", findings.toString())).isZero();
    JsonNode document = new ObjectMapper().readTree(harness.out());
    assertThat(document.at("/finding/verdict/cause").asText()).isEqualTo("cache");
  }

  private static final String REPORT =
      """
      {"findings":[{"finding":FINDING,"history":[],"cells_state":"sufficient",\
      "baseline_cells":{"from":"a","to":"b","n":400},"current_cells":{"from":"b","to":"c","n":90},\
      "heat_map":[{"cache":"hit","batch":"8-15","baseline":{"n":200,"mean":0.31},\
      "current":{"n":60,"mean":0.29},"state":"sufficient","difference":-0.02,\
      "interval":[-0.024,-0.016]}],"by_covariate":[{"covariate":"node","bucket":"gpu\\u001b-0",\
      "baseline":{"n":400,"mean":0.3},"current":{"n":3,"mean":0.3},"state":"insufficient",\
      "difference":null,"interval":null}]}]}
      """;

  @Test
  void explainShowsTheCellsOfAReport() throws IOException {
    Files.writeString(dir.resolve("report.json"), REPORT.replace("FINDING", FINDING));
    assertThat(harness.run("explain", "f-1", "--report", dir.toString())).isZero();
    assertThat(harness.out())
        .contains("baseline a to b (n=400), now b to c (n=90)")
        .containsPattern("cache=hit batch=8-15 +200 +60 +0.31 +0.29 +-0.02 \\(-0.024..-0.016\\)")
        .containsPattern("node=gpu\\?-0 +400 +3 +0.3 +0.3 +insufficient")
        .contains("cause cache: hits lost")
        .doesNotContain("\u001b");
    CommandLineHarness json = new CommandLineHarness();
    assertThat(json.run("explain", "f-1", "--json", "--report", dir.toString())).isZero();
    JsonNode document = new ObjectMapper().readTree(json.out());
    assertThat(document.at("/heat_map/0/difference").asDouble()).isEqualTo(-0.02);
    assertThat(document.at("/finding/finding_id").asText()).isEqualTo("f-1");
  }

  @Test
  void explainSaysWhatAReportLacks() throws IOException {
    Files.writeString(dir.resolve("report.json"), REPORT.replace("FINDING", FINDING));
    assertThat(harness.run("explain", "f-2", "--report", dir.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("finding f-2: not in");
    CommandLineHarness missing = new CommandLineHarness();
    assertThat(missing.run("explain", "f-1", "--report", dir.resolve("none").toString()))
        .isEqualTo(2);
    assertThat(missing.err()).contains("no such file");
  }

  @Test
  void explainFindsWhatTheLastReplayShowed() throws IOException {
    LastReplay last =
        new LastReplay(
            "./servedrift replay --file traffic.ndjson",
            CommandLineHarness.NOW,
            null,
            List.of(new ObjectMapper().readTree(FINDING)),
            0);
    last.keep(Map.of("XDG_STATE_HOME", dir.toString()));
    harness.environment("XDG_STATE_HOME", dir.toString());
    assertThat(harness.run("explain", "f-1")).isZero();
    assertThat(harness.out()).contains("cause cache: hits lost");
    assertThat(harness.err())
        .contains("from the replay of 2026-11-30T12:00:00Z: ./servedrift replay --file traffic");
    CommandLineHarness other =
        new CommandLineHarness().environment("XDG_STATE_HOME", dir.toString());
    assertThat(other.run("explain", "f-2")).isEqualTo(2);
    assertThat(other.err())
        .contains("finding f-2: not in the last replay (./servedrift replay --file traffic.ndjson)")
        .contains("--report DIR or --file FINDINGS of a replay, or a broker");
  }

  @Test
  void explainShowsTheCells_whenTheLastReplayWroteAReport() throws IOException {
    Path folder = Files.createDirectory(dir.resolve("report"));
    Files.writeString(folder.resolve("report.json"), REPORT.replace("FINDING", FINDING));
    new LastReplay(
            "./servedrift replay",
            CommandLineHarness.NOW,
            folder,
            List.of(new ObjectMapper().readTree(FINDING)),
            0)
        .keep(Map.of("HOME", dir.toString()));
    assertThat(dir.resolve(".local/state/servedrift/last-replay.json")).exists();
    harness.environment("HOME", dir.toString());
    assertThat(harness.run("explain", "f-1")).isZero();
    assertThat(harness.out()).contains("baseline a to b (n=400), now b to c (n=90)");
  }

  @Test
  void explainShowsWhatIsRemembered_whenTheReportHoldsFewer() throws IOException {
    Path folder = Files.createDirectory(dir.resolve("report"));
    Files.writeString(
        folder.resolve("report.json"), REPORT.replace("FINDING", FINDING.replace("f-1", "f-0")));
    new LastReplay(
            "./servedrift replay",
            CommandLineHarness.NOW,
            folder,
            List.of(new ObjectMapper().readTree(FINDING)),
            7)
        .keep(Map.of("HOME", dir.toString()));
    harness.environment("HOME", dir.toString());
    assertThat(harness.run("explain", "f-1")).isZero();
    assertThat(harness.out()).contains("cause cache: hits lost").doesNotContain("cells:");

    CommandLineHarness other = new CommandLineHarness().environment("HOME", dir.toString());
    assertThat(other.run("explain", "f-2")).isEqualTo(2);
    assertThat(other.err())
        .contains("not among the findings that are remembered of the last replay")
        .contains("7 more were not");
  }

  @Test
  void replayIsRemembered_whereThereIsAHome() throws IOException {
    Path traffic =
        Files.writeString(
            dir.resolve("traffic.ndjson"),
            """
            {"type":"request","request_id":"r-1","deployment":"d","status":"ok",\
            "finished_at":"2026-11-30T10:00:00Z","latency_seconds":1.5}
            """);
    Map<String, String> environment = Map.of("XDG_STATE_HOME", dir.toString());
    harness.environment("XDG_STATE_HOME", dir.toString());
    harness.run("replay", "--file", traffic.toString());
    LastReplay last = LastReplay.find(environment).orElseThrow();
    assertThat(last.command()).isEqualTo("./servedrift replay --file " + traffic);
    assertThat(last.report()).isNull();
    assertThat(last.findings()).isEmpty();
    Files.writeString(dir.resolve("servedrift/last-replay.json"), "{");
    assertThat(LastReplay.find(environment)).isEmpty();
    assertThat(LastReplay.find(Map.of())).isEmpty();
  }

  @Test
  void explainSaysWhatIsNotThere() {
    assertThat(harness.run("explain", "f-2", "--file", findings.toString())).isEqualTo(2);
    assertThat(harness.err()).contains("finding f-2: not found");
  }

  @Test
  void decisionsNeedAReasonAndABaseline() {
    assertThat(harness.run("accept", "f-1")).isEqualTo(2);
    assertThat(harness.err()).contains("--why");
    assertThat(harness.run("baseline")).isEqualTo(2);
  }

  @Test
  void pinNeedsARange_promoteNone() {
    assertThat(harness.run("baseline", "pin", "--deployment", "d", "--why", "w")).isEqualTo(2);
    assertThat(harness.err()).contains("--from").contains("--to");
    CommandLineHarness promote = new CommandLineHarness();
    assertThat(
            promote.run(
                "baseline", "promote", "--deployment", "d", "--why", "w", "--baseline-id", "b"))
        .isEqualTo(2);
    assertThat(promote.err()).contains("--baseline-id");
    CommandLineHarness help = new CommandLineHarness();
    assertThat(help.run("baseline", "promote", "--help")).isZero();
    assertThat(help.out()).contains("--config-id").doesNotContain("--from");
  }

  private static Finding finding(FindingState state) {
    return Finding.newBuilder()
        .setFindingId("f-1")
        .setDeployment("image-gen")
        .setModelId("m1")
        .setConfigId("c1")
        .setMetric("clip")
        .setStatistic("mean")
        .setDirection("worse")
        .setOnsetAt(Instant.EPOCH)
        .setDetectedAt(Instant.EPOCH)
        .setState(state)
        .setSeverity(Severity.INFO)
        .setIncidentId("i-1")
        .setPolicyHash("p")
        .setBody("{}")
        .build();
  }

  @Test
  void acceptTakesOnlyWhatIsOpen() {
    Finding open = finding(FindingState.OPEN);
    assertThat(AcceptCommand.openOf("f-1", List.of(open), "findings")).isSameAs(open);
    for (FindingState state : List.of(FindingState.CLOSED, FindingState.ACCEPTED)) {
      assertThatThrownBy(
              () -> AcceptCommand.openOf("f-1", List.of(open, finding(state)), "findings"))
          .isInstanceOfSatisfying(
              CommandFailure.class, why -> assertThat(why.exitCode()).isEqualTo(ExitCode.USAGE))
          .hasMessageContaining("f-1: is " + state.name().toLowerCase(Locale.ROOT));
    }
    assertThatThrownBy(() -> AcceptCommand.openOf("f-2", List.of(), "findings"))
        .hasMessageContaining("f-2: not in findings");
  }

  @Test
  void replayFailsTheComparison_whenAFindingIsGone() throws IOException {
    Path traffic =
        Files.writeString(
            dir.resolve("traffic.ndjson"),
            """
            {"type":"request","request_id":"r-1","deployment":"d","status":"ok",\
            "finished_at":"2026-11-30T10:00:00Z","latency_seconds":1.5}
            {"type":"serving_event","event_id":"e-1","deployment":"d","kind":"cache_flush",\
            "at":"2026-11-30T10:00:01Z"}
            """);
    int code =
        harness.run(
            "replay", "--json", "--file", traffic.toString(), "--compare", findings.toString());
    assertThat(code).isEqualTo(10);
    JsonNode summary = new ObjectMapper().readTree(harness.out());
    assertThat(summary.at("/compared/gone/0").asText()).isEqualTo("f-1");
    assertThat(summary.at("/counters/serving_events").asInt()).isEqualTo(1);
  }
}
