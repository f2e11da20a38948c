package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.files.EventFiles;
import io.servedrift.ingest.files.FileFormat;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the traffic a replay takes and shows, and what it says when nothing is left. */
class ReplayFiltersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant START = SteadyTraffic.START;

  @TempDir private static Path folder;

  private static Path traffic;
  private static List<RequestEvent> requests;

  /** Hits lose quality after 90 minutes. */
  @BeforeAll
  static void writeTraffic() throws IOException {
    Shape faulty = new Shape();
    faulty.hitScore = -.03;
    requests =
        new SteadyTraffic(3, 40)
            .run(Duration.ofMinutes(90))
            .run(Duration.ofMinutes(40), faulty)
            .take();
    traffic = write("traffic.ndjson", requests.stream().map(EventJson::write).toList());
  }

  private static Path write(String name, List<String> lines) throws IOException {
    return Files.write(folder.resolve(name), lines);
  }

  /** A run of the command and what it printed. */
  private record Ran(int code, List<JsonNode> findings, JsonNode summary, String err) {}

  private static Ran replay(Path file, String... more) {
    CommandLineHarness harness = new CommandLineHarness();
    List<String> arguments = new ArrayList<>(List.of("replay", "--json", "--file"));
    arguments.add(file.toString());
    arguments.addAll(List.of(more));
    int code = harness.run(arguments.toArray(String[]::new));
    List<JsonNode> lines = harness.out().lines().map(ReplayFiltersTest::json).toList();
    return new Ran(
        code,
        lines.stream().filter(line -> line.has("finding_id")).toList(),
        lines.isEmpty() ? JSON.missingNode() : lines.get(lines.size() - 1),
        harness.err());
  }

  private static JsonNode json(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nodeReplaysWhatItServed_asIfThereWereNoOther() throws IOException {
    Path own =
        write(
            "gpu-0.ndjson",
            requests.stream()
                .filter(request -> request.getNode().equals("gpu-0"))
                .map(EventJson::write)
                .toList());
    Ran filtered = replay(traffic, "--node", "gpu-0");
    Ran alone = replay(own);
    assertThat(filtered.code()).isZero();
    assertThat(filtered.summary().path("range")).isEqualTo(alone.summary().path("range"));
    assertThat(filtered.findings()).isEqualTo(alone.findings());
    assertThat(filtered.summary().path("range"))
        .isNotEqualTo(replay(traffic).summary().path("range"));
  }

  @Test
  void nodeFilterLetsPassWhatHappenedToAll() {
    NodeFilter filter = new NodeFilter("a");
    RequestEvent request = RequestEvent.newBuilder(requests.get(0)).setNode("a").build();
    assertThat(filter.test(request)).isTrue();
    assertThat(filter.test(RequestEvent.newBuilder(request).setNode("b").build())).isFalse();
    assertThat(filter.test(RequestEvent.newBuilder(request).setNode(null).build())).isFalse();
    assertThat(filter.test(event(null))).isTrue();
    assertThat(filter.test(event("a"))).isTrue();
    assertThat(filter.test(event("b"))).isFalse();
    assertThat(filter.test(heartbeat("a"))).isTrue();
    assertThat(filter.test(heartbeat("b"))).isFalse();
    assertThat(
            filter.test(
                ScoreEvent.newBuilder()
                    .setRequestId("r")
                    .setDeployment("d")
                    .setName("clip")
                    .setValue(1)
                    .setScorer("s")
                    .setScoredAt(START)
                    .build()))
        .isTrue();
  }

  private static ServingEvent event(String node) {
    return new ServingEvent("e", START, "d", node, ServingEventKind.CACHE_FLUSH, Map.of());
  }

  private static Heartbeat heartbeat(String node) {
    return Heartbeat.newBuilder().setAt(START).setDeployment("d").setNode(node).build();
  }

  @Test
  void baselineIsThatOfTheCommandLine() {
    String range = START.plusSeconds(600) + ".." + START.plus(Duration.ofMinutes(80));
    Ran ran = replay(traffic, "--deployment", "image-gen", "--baseline", range);
    assertThat(ran.code()).isZero();
    assertThat(ran.findings()).isNotEmpty();
    for (JsonNode finding : ran.findings()) {
      assertThat(finding.at("/baseline/kind").asText()).isEqualTo("pinned");
      assertThat(Instant.parse(finding.at("/baseline/from").asText()))
          .isEqualTo(START.plusSeconds(600));
    }
    assertThat(replay(traffic).findings())
        .isNotEmpty()
        .allMatch(finding -> finding.at("/baseline/kind").asText().equals("learned"));
  }

  @Test
  void baselineOfTheFaultFindsNoShift() {
    String range = START.plus(Duration.ofMinutes(91)) + ".." + START.plus(Duration.ofMinutes(125));
    Ran ran = replay(traffic, "--deployment", "image-gen", "--baseline", range);
    assertThat(ran.code()).isZero();
    assertThat(ran.findings()).isEmpty();
  }

  @Test
  void baselineIsCheckedWithThePolicyAndTheFiles() throws IOException {
    Path policy =
        write(
            "policy.yaml",
            List.of(
                "baseline:",
                "  pinned:",
                "    - deployment: image-gen",
                "      from: 2026-03-01T00:00:00Z",
                "      to: 2026-03-01T01:00:00Z"));
    String range = "2026-03-01T00:00:00Z..2026-03-01T01:00:00Z";
    assertUsage("needs --deployment", "--baseline", range);
    assertUsage(
        "the policy pins a range of image-gen already",
        "--deployment",
        "image-gen",
        "--baseline",
        range,
        "--policy",
        policy.toString());
    assertUsage("must be two times", "--deployment", "d", "--baseline", "2026-03-01T00:00:00Z");
    assertUsage("must be a time with zone", "--deployment", "d", "--baseline", "yesterday..today");
    assertUsage(
        "must begin before it ends",
        "--deployment",
        "d",
        "--baseline",
        "2026-03-01T01:00:00Z..2026-03-01T01:00:00Z");
    assertUsage(
        "the files hold",
        "--deployment",
        "d",
        "--baseline",
        "2026-02-01T00:00:00Z..2026-02-02T00:00:00Z");
    assertUsage("cannot be used with --node", "--node", "gpu-0", "--state", "live");
    assertUsage("only Kafka and archives hold one", "--state", "live");
  }

  @Test
  void seriesFiltersShowWindowsAndFindingsOfTheSeriesAlone() {
    Ran all = replay(traffic);
    assertThat(all.findings()).isNotEmpty();
    String config = requests.get(0).getConfigId();
    String model = requests.get(0).getModelId();
    for (List<String> filter :
        List.of(
            List.of("--config-id", config, "config_id"),
            List.of("--config-id", "*", "config_id"),
            List.of("--model-id", model, "model_id"),
            List.of("--deployment", "image-gen", "deployment"))) {
      Ran ran = replay(traffic, filter.get(0), filter.get(1));
      assertThat(ran.findings())
          .isEqualTo(
              all.findings().stream()
                  .filter(finding -> finding.path(filter.get(2)).asText().equals(filter.get(1)))
                  .toList());
      assertThat(ran.summary().path("range"))
          .isNotEmpty()
          .allMatch(window -> window.path(filter.get(2)).asText().equals(filter.get(1)));
    }
  }

  private static void assertUsage(String message, String... options) {
    Ran ran = replay(traffic, options);
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains(message);
    assertThat(ran.summary().isMissingNode()).isTrue();
  }

  @Test
  void nothingToJudgeIsNotAllIsWell() throws IOException {
    Ran bad = replay(write("bad.ndjson", List.of("rubbish", "{}", "{\"type\":\"request\"}")));
    assertThat(bad.code()).isEqualTo(11);
    assertThat(bad.err())
        .contains("nothing to replay: of 3 rows 3 cannot be used")
        .contains("bad_json=1", "--dead-letters FILE");
    assertThat(bad.summary().at("/read/rejected").asInt()).isEqualTo(3);

    Ran empty = replay(write("empty.ndjson", List.of()));
    assertThat(empty.code()).isEqualTo(11);
    assertThat(empty.err()).contains("nothing to replay: the input has no rows");
    assertThat(replay(traffic, "--node", "gpu-7").code()).isEqualTo(11);
    Ran typo = replay(traffic, "--deployment", "typo");
    assertThat(typo.code()).isEqualTo(11);
    assertThat(typo.err()).contains("no window and no finding of the series asked for");
  }

  @Test
  void stopsWhenAskedTo_andSaysThatItIsPartial() throws Exception {
    try (SortedEvents events =
        EventFiles.builder(List.of(traffic), FileFormat.NDJSON, CommandLineHarness.NOW)
            .build()
            .read(letter -> {})) {
      int[] asked = {0};
      ReplayOutput output =
          new ReplayOutput(
              Duration.ofMinutes(5), w -> true, f -> true, null, null, null, START, false);
      FileReplay replay =
          new FileReplay(
                  PaneSettings.defaults(),
                  new MetricLayouts(),
                  JudgedRun.BY_DEFAULT,
                  output,
                  new Tally())
              .stopWhen(() -> asked[0]++ == 1_000);
      assertThat(replay.run(events, fed -> {})).isEqualTo(1_000);
      assertThat(replay.partial()).isTrue();
      assertThat(replay.judged()).isEqualTo(1_000);
      // What was complete by then is there, what was not is not made up.
      assertThat(output.isEmpty()).isFalse();
    }
  }
}
