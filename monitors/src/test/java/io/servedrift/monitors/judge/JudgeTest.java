package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What happens to a shift, from its onset to its end, through both stages. */
class JudgeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LEARN = Duration.ofHours(2);

  private final SteadyTraffic traffic = new SteadyTraffic(7, 60);
  private Policy policy = Policy.defaults();

  private List<JsonNode> judged() {
    JudgedRun run = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    traffic.take().forEach(run::accept);
    return run.finish().stream().map(JudgeTest::body).toList();
  }

  private static JsonNode body(Finding finding) {
    try {
      return JSON.readTree(finding.getBody());
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Shape shape(Consumer<Shape> change) {
    Shape shape = new Shape();
    change.accept(shape);
    return shape;
  }

  private static List<JsonNode> of(List<JsonNode> findings, String metric, String statistic) {
    return findings.stream()
        .filter(f -> f.get("metric").asText().equals(metric))
        .filter(f -> f.get("statistic").asText().equals(statistic))
        .toList();
  }

  private static String cause(JsonNode finding) {
    return finding.at("/verdict/cause").asText();
  }

  private static List<String> alerts(List<JsonNode> findings) {
    return findings.stream()
        .filter(f -> !f.get("severity").asText().equals("info"))
        .map(f -> f.get("metric").asText() + " " + cause(f))
        .distinct()
        .toList();
  }

  @Test
  void staysSilent_whenNothingShifts() {
    traffic.run(Duration.ofHours(12));
    assertThat(judged()).isEmpty();
  }

  @Test
  void opensOnceAndCloses_whenAShiftComesAndGoes() {
    traffic
        .run(LEARN)
        .run(Duration.ofMinutes(90), shape(s -> s.hitScore = -.02))
        .run(Duration.ofHours(3));
    List<JsonNode> mean = of(judged(), "clip", "mean");

    assertThat(mean).isNotEmpty();
    assertThat(mean.stream().map(f -> f.get("finding_id").asText()).distinct()).hasSize(1);
    JsonNode first = mean.get(0);
    JsonNode last = mean.get(mean.size() - 1);
    assertThat(first.get("state").asText()).isEqualTo("open");
    assertThat(last.get("state").asText()).isEqualTo("closed");
    assertThat(mean.subList(0, mean.size() - 1))
        .allMatch(f -> f.get("state").asText().equals("open"));
    assertThat(cause(first)).isEqualTo("cache");
    assertThat(first.at("/verdict/where/cache").asText()).isEqualTo("hit");
    assertThat(first.get("direction").asText()).isEqualTo("worse");
    Instant onset = SteadyTraffic.START.plus(LEARN);
    assertThat(Instant.parse(first.get("onset_at").asText()))
        .isBetween(onset.minusSeconds(600), onset.plusSeconds(600));
    assertThat(Instant.parse(first.get("detected_at").asText()))
        .isBetween(onset, onset.plusSeconds(30 * 60));
    Instant gone = onset.plus(Duration.ofMinutes(90));
    assertThat(Instant.parse(last.get("closed_at").asText()))
        .isBetween(gone, gone.plus(Duration.ofHours(2)));
  }

  @Test
  void isAContractFinding_withNumbersAndIntervals() {
    traffic.run(LEARN).run(Duration.ofMinutes(90), shape(s -> s.hitScore = -.02));
    JsonNode found = of(judged(), "clip", "mean").get(0);

    assertThat(
            StreamSupport.stream(
                    java.util.Spliterators.spliteratorUnknownSize(found.fieldNames(), 0), false)
                .collect(Collectors.toList()))
        .contains(
            "finding_id",
            "deployment",
            "model_id",
            "config_id",
            "metric",
            "statistic",
            "direction",
            "onset_at",
            "detected_at",
            "state",
            "severity",
            "incident_id",
            "policy_hash",
            "baseline",
            "current",
            "effect",
            "evidence",
            "verdict",
            "exemplars",
            "next_test");
    assertThat(found.get("policy_hash").asText()).isEqualTo(Policy.defaults().hash());
    assertThat(found.at("/baseline/kind").asText()).isEqualTo("learned");
    assertThat(found.at("/baseline/n").asLong()).isGreaterThan(1000);
    assertThat(found.at("/effect/strongest/in").asText()).isEqualTo("hit");
    assertThat(found.at("/effect/strongest/value").asDouble()).isBetween(-.03, -.01);
    assertThat(found.at("/effect/strongest/interval/0").asDouble())
        .isLessThan(found.at("/effect/strongest/value").asDouble());
    assertThat(found.at("/evidence/e_value").asDouble())
        .isGreaterThanOrEqualTo(found.at("/evidence/threshold").asDouble());
    assertThat(found.at("/verdict/ruled_out").findValuesAsText("cause")).contains("model");
    assertThat(found.get("exemplars")).hasSizeBetween(2, 10);
    for (JsonNode exemplar : found.get("exemplars")) {
      assertThat(exemplar.at("/cell/cache").asText())
          .isEqualTo(exemplar.get("role").asText().equals("blamed") ? "hit" : "miss");
    }
  }

  @Test
  void makesTheShiftNormal_onlyWhenAccepted() {
    JudgedRun run = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    traffic.run(LEARN).run(Duration.ofMinutes(90), shape(s -> s.allScores = -.03));
    traffic.take().forEach(run::accept);
    List<JsonNode> open = run.findings().stream().map(JudgeTest::body).toList();
    assertThat(open).isNotEmpty();
    for (String id : open.stream().map(f -> f.get("finding_id").asText()).distinct().toList()) {
      run.accept(accept(id, traffic.now()));
    }
    int before = run.findings().size();
    traffic.run(Duration.ofHours(8), shape(s -> s.allScores = -.03));
    traffic.take().forEach(run::accept);
    List<JsonNode> after = run.finish().stream().map(JudgeTest::body).skip(before).toList();

    assertThat(after).isNotEmpty().noneMatch(f -> f.get("state").asText().equals("open"));
    JsonNode accepted = after.get(0);
    assertThat(accepted.get("state").asText()).isEqualTo("accepted");
    assertThat(accepted.at("/accepted/by").asText()).isEqualTo("ana");
    assertThat(accepted.at("/accepted/why").asText()).isEqualTo("new sampler");
    // What else the same shift moved in this series has become normal with it.
    assertThat(after.subList(1, after.size()))
        .allMatch(
            f -> f.get("closed_because").asText().contains(accepted.get("finding_id").asText()));
  }

  private static Decision accept(String findingId, Instant at) {
    return Decision.newBuilder()
        .setDecisionId("d-" + findingId)
        .setAt(at)
        .setDeployment("image-gen")
        .setKind(DecisionKind.ACCEPT)
        .setFindingId(findingId)
        .setBaselineId(null)
        .setConfigId(null)
        .setFrom(null)
        .setTo(null)
        .setBy("ana")
        .setWhy("new sampler")
        .build();
  }

  @Test
  void keepsARegressionOpen_thatCameWithADeploy() {
    traffic
        .run(Duration.ofHours(3))
        .config("c0ffee0000000002")
        .run(Duration.ofHours(12), shape(s -> s.allScores = -.02));
    List<JsonNode> mean = of(judged(), "clip", "mean");

    assertThat(mean).isNotEmpty();
    assertThat(mean).allMatch(f -> f.get("state").asText().equals("open"));
    JsonNode first = mean.get(0);
    assertThat(cause(first)).isEqualTo("config_change");
    assertThat(first.at("/baseline/kind").asText()).isEqualTo("predecessor");
    assertThat(first.at("/baseline/config_id").asText()).isEqualTo("c0ffee0000000001");
    assertThat(first.get("config_id").asText()).isEqualTo("c0ffee0000000002");
    assertThat(first.get("severity").asText()).isIn("ticket", "page");
  }

  @Test
  void saysModel_onlyWhenTheModelChanged() {
    traffic
        .run(Duration.ofHours(3))
        .model("beef000000000002")
        .run(Duration.ofHours(2), shape(s -> s.allScores = -.02));
    List<JsonNode> mean = of(judged(), "clip", "mean");
    assertThat(mean).isNotEmpty();
    assertThat(cause(mean.get(0))).isEqualTo("model");
  }

  @Test
  void saysUnexplained_whenNothingRecordedChanged() {
    traffic.run(Duration.ofHours(3)).run(Duration.ofHours(2), shape(s -> s.allScores = -.02));
    List<JsonNode> mean = of(judged(), "clip", "mean");
    assertThat(mean).isNotEmpty();
    assertThat(cause(mean.get(0))).isEqualTo("unexplained");
    assertThat(mean.get(0).at("/next_test/command").asText()).contains("gate");
  }

  @Test
  void neverBlamesServing_whenTheScorerChanged() {
    traffic
        .run(Duration.ofHours(3))
        .scorer("clip@2")
        .run(Duration.ofHours(6), shape(s -> s.allScores = -.05));
    List<JsonNode> clip = judged();
    assertThat(clip).isNotEmpty();
    assertThat(clip).allMatch(f -> cause(f).equals("scorer_change"));
    assertThat(clip).noneMatch(f -> f.get("severity").asText().equals("page"));
    assertThat(clip.get(clip.size() - 1).get("state").asText()).isEqualTo("closed");
  }

  @Test
  void groupsWhatOneFaultMoved() {
    traffic
        .run(LEARN)
        .run(
            Duration.ofMinutes(90),
            shape(
                s -> {
                  s.hitScore = -.03;
                  s.hitLatency = 2;
                }));
    List<JsonNode> found = judged().stream().filter(f -> cause(f).equals("cache")).toList();
    assertThat(found.stream().map(f -> f.get("metric").asText())).contains("clip", "latency");
    assertThat(found.stream().map(f -> f.get("incident_id").asText()).distinct()).hasSize(1);
  }

  @Test
  void recordsABetterShift_asInfo() {
    traffic.run(LEARN).run(Duration.ofHours(3), shape(s -> s.hitScore = .03));
    List<JsonNode> found = judged();
    assertThat(found).isNotEmpty();
    assertThat(found).allMatch(f -> f.get("direction").asText().equals("better"));
    assertThat(found).allMatch(f -> f.get("severity").asText().equals("info"));
  }

  @Test
  void mutes_inMaintenance() {
    policy =
        Policy.parse(
            """
            maintenance:
              - deployment: image-gen
                from: 2026-03-01T01:50:00Z
                to: 2026-03-01T06:00:00Z
                why: cache migration
            """,
            "test");
    traffic.run(LEARN).run(Duration.ofMinutes(90), shape(s -> s.hitScore = -.03));
    List<JsonNode> found = judged();
    assertThat(found).isNotEmpty();
    assertThat(found).allMatch(f -> f.get("severity").asText().equals("info"));
    assertThat(found.get(0).get("muted").asText()).isEqualTo("cache migration");
  }

  @Test
  void staysSilentThroughAGap_andJudgesAfterIt() {
    traffic.run(Duration.ofHours(4)).gap(Duration.ofHours(13)).run(Duration.ofHours(2));
    int quiet = traffic.take().size();
    assertThat(quiet).isGreaterThan(10_000);
    SteadyTraffic again = new SteadyTraffic(7, 60);
    JudgedRun run = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    again.run(Duration.ofHours(4)).gap(Duration.ofHours(13)).run(Duration.ofHours(2));
    again.take().forEach(run::accept);
    assertThat(run.findings()).isEmpty();
    again.run(Duration.ofHours(1), shape(s -> s.hitScore = -.03));
    again.take().forEach(run::accept);
    assertThat(alerts(run.finish().stream().map(JudgeTest::body).toList())).contains("clip cache");
  }

  @Test
  void forgetsABurst_whenAPauseFollows() {
    traffic
        .run(LEARN)
        .run(Duration.ofMinutes(9), shape(s -> s.latency = 6))
        .gap(Duration.ofHours(13))
        .run(Duration.ofHours(2));
    assertThat(judged()).isEmpty();
  }

  /** Means of durations are judged from the second day on. */
  @Test
  void quotesEachOther_whenTheMeanGetsBetterAndTheTailWorse() {
    traffic
        .run(Duration.ofHours(30))
        .run(
            Duration.ofHours(4),
            shape(
                s -> {
                  s.latency = .6;
                  s.hitLatency = 8;
                  s.hits = .03;
                }));
    Map<String, JsonNode> last = new TreeMap<>();
    for (JsonNode one : judged()) {
      if (one.path("metric").asText().equals("latency")) {
        last.put(one.path("statistic").asText() + " " + one.path("direction").asText(), one);
      }
    }
    JsonNode better = last.get("mean better");
    JsonNode worse = last.get("tail worse");
    assertThat(last).containsKeys("mean better", "tail worse");
    assertThat(better.path("opposite_moves").findValuesAsText("finding_id"))
        .contains(worse.path("finding_id").asText());
    assertThat(worse.path("opposite_moves").findValuesAsText("finding_id"))
        .contains(better.path("finding_id").asText());
  }

  @Test
  void saysNothing_ofAConfigurationSeenForTenMinutes() {
    traffic
        .run(Duration.ofHours(3))
        .config("c0ffee0000000002")
        .run(Duration.ofMinutes(10))
        .config("c0ffee0000000001")
        .run(Duration.ofHours(2));
    assertThat(judged()).isEmpty();
  }

  @Test
  void judgesASuccessor_whenWhatRanBeforeNeverFailed() {
    Shape faultless = shape(s -> s.errors = 0);
    traffic
        .run(Duration.ofHours(3), faultless)
        .config("c0ffee0000000002")
        .run(Duration.ofHours(2), shape(s -> s.errors = .2));
    assertThat(alerts(judged())).anyMatch(alert -> alert.startsWith("error_ratio"));
  }

  @Test
  void closes_whenTheRegressionIsRolledBack() {
    traffic
        .run(Duration.ofHours(3))
        .config("c0ffee0000000002")
        .run(Duration.ofHours(1), shape(s -> s.allScores = -.03))
        .config("c0ffee0000000001")
        .run(Duration.ofHours(3));
    Map<String, List<JsonNode>> byId =
        judged().stream().collect(Collectors.groupingBy(f -> f.get("finding_id").asText()));
    assertThat(byId).isNotEmpty();
    byId.values()
        .forEach(
            versions -> {
              JsonNode last = versions.get(versions.size() - 1);
              assertThat(last.get("state").asText()).isEqualTo("closed");
              assertThat(last.get("closed_because").asText()).contains("no longer serves");
            });
  }

  @Test
  void tellsTheSameFromACheckpoint() {
    traffic
        .run(LEARN)
        .run(Duration.ofMinutes(70), shape(s -> s.hitScore = -.02))
        .run(Duration.ofHours(2));
    List<io.servedrift.schemas.avro.RequestEvent> events = traffic.take();
    List<Finding> whole = new ArrayList<>();
    CheckpointingJudge chained = new CheckpointingJudge(policy, whole::add, 37);
    List<Finding> plain = new ArrayList<>();
    CheckpointingJudge never = new CheckpointingJudge(policy, plain::add, Integer.MAX_VALUE);
    CheckpointingJudge.feed(events, List.of(chained, never));
    assertThat(chained.restarts()).isGreaterThan(5);
    assertThat(whole).isNotEmpty().isEqualTo(plain);
    assertThat(chained.state()).isEqualTo(never.state());
  }
}
