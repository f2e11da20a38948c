package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.ServingEvent;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunRecorderTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> HIT = List.of("batch=8-15", "cache=hit", "prompt_class=a");
  private static final List<String> MISS = List.of("batch=1", "cache=miss", "prompt_class=a");

  private final RunRecorder run = new RunRecorder(new MetricLayouts(), any -> true);

  private static ObjectNode finding(String baseline, String current) throws IOException {
    return (ObjectNode)
        JSON.readTree(
            """
            {"finding_id":"f-1","deployment":"image-gen","model_id":"m1","config_id":"c1",
             "metric":"clip","statistic":"mean","direction":"worse","state":"open",
             "severity":"page","onset_at":"1970-01-01T00:10:00Z",
             "baseline":{"model_id":"m1","config_id":"%s",
               "from":"1970-01-01T00:00:00Z","to":"1970-01-01T00:10:00Z"},
             "current":{"from":"1970-01-01T00:10:00Z","to":"%s"}}
            """
                .formatted(baseline, current));
  }

  private JsonNode described(JsonNode finding) {
    run.finding(finding, Instant.EPOCH);
    return run.findings().get("f-1").describe(OutputLinks.NONE);
  }

  /** Ten minutes before, five after; only hits lose. */
  private void tenMinutesAndFive() {
    for (int minute = 0; minute < 15; minute++) {
      double hits = minute < 10 ? 0.32 : 0.30;
      run.pane(
          Panes.pane(
              Panes.CLIP,
              minute,
              Map.of(
                  HIT,
                  Panes.around(hits, 0.01, 20),
                  MISS,
                  Panes.around(0.31, 0.01, 4),
                  List.of("node=gpu-0"),
                  Panes.around(0.31, 0.01, 24))));
    }
  }

  private static JsonNode cell(JsonNode cells, String field, String bucket) {
    for (JsonNode cell : cells) {
      if (cell.path(field).asText().equals(bucket)) {
        return cell;
      }
    }
    throw new AssertionError(field + " " + bucket + ": not among " + cells);
  }

  @Test
  void comparesCellsOfBaselineAndShift() throws IOException {
    tenMinutesAndFive();
    JsonNode node = described(finding("c1", "1970-01-01T00:15:00Z"));
    assertThat(node.path("cells_state").asText()).isEqualTo("sufficient");
    assertThat(node.at("/baseline_cells/n").asLong()).isEqualTo(240);
    assertThat(node.at("/current_cells/n").asLong()).isEqualTo(120);
    JsonNode hit = cell(node.path("heat_map"), "cache", "hit");
    assertThat(hit.path("batch").asText()).isEqualTo("8-15");
    assertThat(hit.at("/baseline/n").asLong()).isEqualTo(200);
    assertThat(hit.path("difference").asDouble()).isCloseTo(-0.02, within(1e-9));
    // 0.01^2 n / (n - 1) / n on each side, t of 199 degrees: half a width of 0.0024
    assertThat(hit.path("interval").get(0).asDouble()).isCloseTo(-0.022421, within(1e-5));
    assertThat(hit.path("interval").get(1).asDouble()).isCloseTo(-0.017579, within(1e-5));
    assertThat(cell(node.path("by_covariate"), "bucket", "gpu-0").path("covariate").asText())
        .isEqualTo("node");
    double shares = 0;
    for (JsonNode bin : node.path("distribution")) {
      shares += bin.path("current").asDouble();
    }
    assertThat(shares).isCloseTo(1, within(1e-4));
  }

  /** A tail is a share of requests: the heat map shows where they lie beyond the old quantile. */
  @Test
  void showsSharesBeyondTheQuantile_forATail() throws IOException {
    for (int minute = 0; minute < 15; minute++) {
      // Scores from .30 to .32; then a quarter of the hits falls far below, misses do not.
      double[] hits = Panes.around(0.31, 0.01, 20);
      if (minute >= 10) {
        java.util.Arrays.fill(hits, 0, 5, 0.1);
      }
      run.pane(
          Panes.pane(Panes.CLIP, minute, Map.of(HIT, hits, MISS, Panes.around(0.31, 0.01, 20))));
    }
    ObjectNode tail = finding("c1", "1970-01-01T00:15:00Z").put("statistic", "tail");
    tail.putObject("effect").put("beyond", "p5");
    JsonNode node = described(tail);
    assertThat(node.path("heat_map_of").asText()).isEqualTo("share_beyond");
    // p5 of the baseline is .30; its bin is a thousandth wide.
    assertThat(node.path("heat_map_limit").asDouble()).isBetween(0.299, 0.3);
    JsonNode hit = cell(node.path("heat_map"), "cache", "hit");
    assertThat(hit.at("/baseline/mean").asDouble()).isZero();
    assertThat(hit.at("/current/mean").asDouble()).isEqualTo(0.25);
    assertThat(hit.path("difference").asDouble()).isEqualTo(0.25);
    assertThat(hit.at("/interval/0").asDouble()).isPositive();
    JsonNode miss = cell(node.path("heat_map"), "cache", "miss");
    assertThat(miss.path("difference").asDouble()).isZero();
    assertThat(cell(node.path("by_covariate"), "bucket", "hit").at("/baseline/mean").asDouble())
        .isCloseTo(0.31, within(1e-6));
  }

  @Test
  void saysInsufficient_belowThirtyRequestsOnASide() throws IOException {
    tenMinutesAndFive();
    JsonNode miss =
        cell(described(finding("c1", "1970-01-01T00:15:00Z")).path("heat_map"), "cache", "miss");
    assertThat(miss.at("/baseline/n").asLong()).isEqualTo(40);
    assertThat(miss.at("/current/n").asLong()).isEqualTo(20);
    assertThat(miss.path("state").asText()).isEqualTo("insufficient");
    assertThat(miss.path("difference").isNull()).isTrue();
    assertThat(miss.path("interval").isNull()).isTrue();
  }

  @Test
  void saysWhy_whenTheBaselineIsOutsideTheRun() throws IOException {
    tenMinutesAndFive();
    JsonNode node = described(finding("another", "1970-01-01T00:15:00Z"));
    assertThat(node.path("cells_state").asText()).isEqualTo("insufficient");
    assertThat(node.path("cells_because").asText()).contains("the panes of the baseline");
    assertThat(node.has("heat_map")).isFalse();
  }

  @Test
  void keepsTheCellsOfTheOpenFinding_whenItCloses() throws IOException {
    tenMinutesAndFive();
    run.finding(finding("c1", "1970-01-01T00:15:00Z"), Instant.EPOCH);
    ObjectNode closed = finding("c1", "1970-01-01T00:11:00Z").put("state", "closed");
    JsonNode node = described(closed);
    assertThat(node.at("/finding/state").asText()).isEqualTo("closed");
    assertThat(node.at("/current_cells/n").asLong()).isEqualTo(120);
    assertThat(node.path("history")).hasSize(2);
  }

  /** Configurations that are gone make room for those that serve. */
  @Test
  void forgetsCellsOfSeriesThatAreSilentForMoreThanEightDays() throws IOException {
    for (int i = 0; i < CellRecorder.MOST_SERIES; i++) {
      SeriesKey key = new SeriesKey("image-gen", "m1", "gone-" + i, "clip");
      run.pane(Panes.pane(key, 0, Map.of(HIT, Panes.of(0.3, 2))));
    }
    int later = 9 * 24 * 60;
    SeriesKey serving = new SeriesKey("image-gen", "m1", "c1", "clip");
    run.pane(Panes.pane(serving, later, Map.of(HIT, Panes.of(0.3, 40))));
    assertThat(run.leftOut()).isEmpty();
  }

  @Test
  void countsWhatItLeavesOut() throws IOException {
    for (int i = 0; i <= CellRecorder.MOST_SERIES; i++) {
      SeriesKey key = new SeriesKey("image-gen", "m1", "config-" + i, "clip");
      run.pane(Panes.pane(key, 0, Map.of(HIT, Panes.of(0.3, 2))));
    }
    for (int i = 0; i <= RunRecorder.MOST_FINDINGS; i++) {
      run.finding(finding("c1", "1970-01-01T00:15:00Z").put("finding_id", "f-" + i), Instant.EPOCH);
    }
    assertThat(run.findings()).hasSize(RunRecorder.MOST_FINDINGS);
    assertThat(run.leftOut())
        .containsOnly(
            Map.entry("series_panes_without_cells", 1L), Map.entry("finding_versions", 1L));
  }

  @Test
  void passesEveryStepToTheJudge_afterItSawIt() {
    List<String> steps = new ArrayList<>();
    StepTaker judge = new NotingJudge(steps);
    StepTaker watched = run.watching((findings, tally) -> judge).make(finding -> {}, new Tally());
    watched.pane(Panes.pane(Panes.CLIP, 0, Map.of(HIT, Panes.of(0.3, 2))));
    watched.event(event());
    watched.restore("d", watched.checkpoint("d"));
    watched.forget("d");
    assertThat(steps).containsExactly("pane", "event", "checkpoint d", "restore d 1", "forget d");
    assertThat(run.events()).hasSize(1);
  }

  private static ServingEvent event() {
    return ServingEvent.newBuilder()
        .setEventId("e-1")
        .setAt(Instant.EPOCH)
        .setDeployment("image-gen")
        .setKind(io.servedrift.schemas.avro.ServingEventKind.CACHE_FLUSH)
        .setAttributes(Map.of())
        .build();
  }

  private record NotingJudge(List<String> steps) implements StepTaker {
    @Override
    public void pane(MergedPane pane) {
      steps.add("pane");
    }

    @Override
    public void event(ServingEvent event) {
      steps.add("event");
    }

    @Override
    public void decision(Decision decision) {
      steps.add("decision");
    }

    @Override
    public void eval(EvalResult eval) {
      steps.add("eval");
    }

    @Override
    public byte[] checkpoint(String deployment) {
      steps.add("checkpoint " + deployment);
      return new byte[1];
    }

    @Override
    public void restore(String deployment, byte[] checkpoint) {
      steps.add("restore " + deployment + " " + checkpoint.length);
    }

    @Override
    public void forget(String deployment) {
      steps.add("forget " + deployment);
    }
  }
}
