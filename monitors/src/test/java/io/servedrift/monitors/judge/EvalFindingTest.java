package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** A live CLIP of .3015 against what an evaluation recorded. */
class EvalFindingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SERVES = "c0ffee0000000001";
  private static final String MODEL = "beef000000000001";
  private static final Duration LATER = Duration.ofMinutes(70);
  private static final double LIVE = .3015;

  private final List<SpecificRecord> events = new ArrayList<>();
  private Policy policy = Policy.parse("metrics: {clip: {eval: suite/clip}}", "test");

  private static SteadyTraffic steady() {
    return new SteadyTraffic(5, 40);
  }

  private static Shape scores(double change) {
    Shape shape = new Shape();
    shape.allScores = change;
    return shape;
  }

  /** A result for the configuration and model that serve. */
  static EvalResult eval(String id, Duration at, double value) {
    EvalResult eval = new EvalResult();
    eval.setEvalId(id);
    eval.setAt(SteadyTraffic.START.plus(at));
    eval.setDeployment("image-gen");
    eval.setName("suite");
    eval.setMetric("clip");
    eval.setValue(value);
    eval.setN(553L);
    eval.setStderr(.0012);
    eval.setConfigId(SERVES);
    eval.setModelId(MODEL);
    eval.setDataset("suite@1");
    return eval;
  }

  private void traffic(Duration length) {
    events.addAll(steady().run(length).take());
  }

  private List<JsonNode> judged() {
    JudgedRun run = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    ordered().forEach(run::accept);
    return against(run.finish());
  }

  private List<SpecificRecord> ordered() {
    return events.stream()
        .sorted(Comparator.comparing(io.servedrift.schemas.EventTimes::of))
        .toList();
  }

  private static List<JsonNode> against(List<Finding> findings) {
    return findings.stream()
        .map(EvalFindingTest::body)
        .filter(body -> body.at("/baseline/kind").asText().equals("eval"))
        .toList();
  }

  private static JsonNode body(Finding finding) {
    try {
      return JSON.readTree(finding.getBody());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void saysWhatItIsComparedWith_whenTheLiveMeanIsLower() {
    traffic(Duration.ofHours(3));
    events.add(eval("e-1", LATER, .33));
    List<JsonNode> found = judged();

    assertThat(found).hasSize(1);
    JsonNode finding = found.get(0);
    assertThat(finding.path("metric").asText()).isEqualTo("clip");
    assertThat(finding.path("direction").asText()).isEqualTo("worse");
    assertThat(finding.path("severity").asText()).isEqualTo("ticket");
    assertThat(finding.at("/baseline/id").asText()).isEqualTo("e-1");
    assertThat(finding.at("/baseline/eval").asText()).isEqualTo("suite/clip");
    assertThat(finding.at("/baseline/mean").asDouble()).isEqualTo(.33);
    assertThat(finding.at("/baseline/stderr").asDouble()).isEqualTo(.0012);
    assertThat(finding.at("/baseline/n").asLong()).isEqualTo(553);
    double effect = finding.at("/effect/value").asDouble();
    assertThat(effect).isCloseTo(LIVE - .33, within(.003));
    assertThat(finding.at("/effect/interval/0").asDouble()).isLessThan(effect - 1.9 * .0012);
    assertThat(finding.at("/effect/interval/1").asDouble()).isGreaterThan(effect + 1.9 * .0012);
    assertThat(finding.at("/verdict/cause").asText()).isEqualTo("unexplained");
    assertThat(finding.at("/verdict/why").asText()).contains("those that were evaluated");
    assertThat(finding.has("changed_axes")).isFalse();
  }

  @Test
  void staysSilent_whenTheLiveMeanIsWhatWasRecorded() {
    traffic(Duration.ofHours(12));
    events.add(eval("e-1", LATER, LIVE));
    assertThat(judged()).isEmpty();
  }

  @Test
  void staysSilent_whenThePolicyNamesNoEvaluation() {
    policy = Policy.defaults();
    traffic(Duration.ofHours(3));
    events.add(eval("e-1", LATER, .33));
    assertThat(judged()).isEmpty();
  }

  @Test
  void staysSilent_whenTheResultHasNeitherErrorNorNumber() {
    traffic(Duration.ofHours(3));
    EvalResult eval = eval("e-1", LATER, .33);
    eval.setN(null);
    eval.setStderr(null);
    events.add(eval);
    assertThat(judged()).isEmpty();
  }

  @Test
  void saysConfigChange_whenAnotherConfigurationWasMeasured() {
    traffic(Duration.ofHours(3));
    EvalResult eval = eval("e-1", LATER, .33);
    eval.setConfigId("c0ffee00000000ff");
    events.add(eval);
    JsonNode finding = judged().get(0);
    assertThat(finding.at("/verdict/cause").asText()).isEqualTo("config_change");
    assertThat(finding.at("/verdict/why").asText()).contains("c0ffee00000000ff").contains(SERVES);
    assertThat(finding.has("changed_axes")).isTrue();
  }

  @Test
  void isInconclusive_whenNobodyKnowsWhatWasMeasured() {
    traffic(Duration.ofHours(3));
    EvalResult eval = eval("e-1", LATER, .33);
    eval.setConfigId(null);
    eval.setModelId(null);
    events.add(eval);
    assertThat(judged().get(0).at("/verdict/cause").asText()).isEqualTo("inconclusive");
  }

  @Test
  void comparesWithTheLatestResult_andClosesWhatTheOneBeforeOpened() {
    traffic(Duration.ofHours(4));
    events.add(eval("e-1", LATER, .33));
    events.add(eval("e-2", Duration.ofHours(3), LIVE));
    List<SpecificRecord> arriving = new ArrayList<>(ordered());
    arriving.add(arriving.size() / 2, eval("e-0", Duration.ofMinutes(20), .1));
    JudgedRun run = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    arriving.forEach(run::accept);
    List<JsonNode> found = against(run.finish());
    assertThat(found).hasSize(2);
    assertThat(found).allMatch(one -> one.at("/baseline/id").asText().equals("e-1"));
    assertThat(found.get(1).path("state").asText()).isEqualTo("closed");
    assertThat(found.get(1).path("closed_because").asText()).contains("another result");
  }

  /** Half of the difference is less than the evaluation may be off by. */
  @Test
  void closes_whenASmallDifferenceIsGone() {
    events.addAll(
        steady()
            .run(Duration.ofHours(2))
            .run(Duration.ofHours(2), scores(-.02))
            .run(Duration.ofHours(5))
            .take());
    EvalResult eval = eval("e-1", LATER, LIVE);
    eval.setStderr(.008);
    events.add(eval);
    List<JsonNode> found = judged();
    assertThat(found).hasSize(2);
    assertThat(found.get(1).path("state").asText()).isEqualTo("closed");
    assertThat(found.get(1).path("closed_because").asText()).isEqualTo("the difference is gone");
    assertThat(Instant.parse(found.get(1).path("closed_at").asText()))
        .isAfter(SteadyTraffic.START.plus(Duration.ofHours(4)));
  }

  @Test
  void staysOpen_whileASmallDifferenceLasts() {
    events.addAll(steady().run(Duration.ofHours(2)).run(Duration.ofHours(6), scores(-.02)).take());
    EvalResult eval = eval("e-1", LATER, LIVE);
    eval.setStderr(.008);
    events.add(eval);
    List<JsonNode> found = judged();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).path("state").asText()).isEqualTo("open");
  }

  @Test
  void closes_whenAnotherScorerScores() {
    events.addAll(
        steady().run(Duration.ofHours(3)).scorer("clip@2").run(Duration.ofMinutes(20)).take());
    events.add(eval("e-1", LATER, .33));
    List<JsonNode> found = judged();
    assertThat(found).hasSize(2);
    assertThat(found.get(1).path("closed_because").asText()).isEqualTo("another scorer scores");
  }

  @Test
  void comparesNothing_whileTheBaselineIsOfAnotherScorer() {
    events.addAll(
        steady()
            .run(Duration.ofHours(2))
            .scorer("clip@2")
            .run(Duration.ofMinutes(25), scores(-.05))
            .take());
    events.add(eval("e-1", LATER, LIVE));
    assertThat(judged()).isEmpty();
  }

  @Test
  void closes_whenTheBaselineOfTheMeanIsRetired() {
    SteadyTraffic traffic =
        steady().run(Duration.ofHours(2)).run(Duration.ofHours(2), scores(-.03));
    events.addAll(traffic.take());
    events.add(eval("e-1", LATER, .35));
    JudgedRun first = new JudgedRun(policy, PaneSettings.defaults(), new MetricLayouts());
    ordered().forEach(first::accept);
    String learned =
        first.finish().stream()
            .map(EvalFindingTest::body)
            .filter(body -> body.path("metric").asText().equals("clip"))
            .filter(body -> body.at("/baseline/kind").asText().equals("learned"))
            .findFirst()
            .orElseThrow()
            .path("finding_id")
            .asText();
    events.add(accept(learned, Duration.ofMinutes(200)));
    List<JsonNode> found = judged();
    assertThat(found.get(1).path("state").asText()).isEqualTo("closed");
    assertThat(found.get(1).path("closed_because").asText()).contains("learned anew");
  }

  @Test
  void closes_whenThePolicyNoLongerNamesTheEvaluation() {
    SteadyTraffic traffic = steady().run(Duration.ofHours(3));
    events.addAll(traffic.take());
    events.add(eval("e-1", LATER, .33));
    CheckpointingJudge before = new CheckpointingJudge(policy, finding -> {}, Integer.MAX_VALUE);
    CheckpointingJudge.feed(ordered(), List.of(before));

    List<Finding> later = new ArrayList<>();
    CheckpointingJudge after =
        new CheckpointingJudge(Policy.defaults(), later::add, Integer.MAX_VALUE);
    after.restore("image-gen", before.state());
    traffic.gap(Duration.ofHours(2)).run(Duration.ofHours(1));
    CheckpointingJudge.feed(traffic.take(), List.of(after));
    List<JsonNode> found = against(later);
    assertThat(found).hasSize(1);
    assertThat(found.get(0).path("state").asText()).isEqualTo("closed");
    assertThat(found.get(0).path("closed_because").asText()).contains("no longer names");
  }

  @Test
  void remembersTheResultThatThePolicyNames_whenManyOthersAreNewer() {
    traffic(Duration.ofHours(3));
    events.add(eval("e-1", LATER, .33));
    for (int i = 0; i < 1100; i++) {
      EvalResult other = eval("o-" + i, LATER.plusSeconds(1 + i / 100), .5);
      other.setName("other-" + i);
      events.add(other);
    }
    List<JsonNode> found = judged();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).at("/baseline/id").asText()).isEqualTo("e-1");
    assertThat(found.get(0).path("state").asText()).isEqualTo("open");
  }

  private static Decision accept(String id, Duration at) {
    Decision accept = new Decision();
    accept.setDecisionId("d-1");
    accept.setDeployment("image-gen");
    accept.setKind(DecisionKind.ACCEPT);
    accept.setFindingId(id);
    accept.setBy("ops");
    accept.setWhy("other prompts");
    accept.setAt(SteadyTraffic.START.plus(at));
    return accept;
  }

  @Test
  void asksNoMore_whenTheDifferenceIsAccepted() {
    traffic(Duration.ofHours(3));
    events.add(eval("e-1", LATER, .33));
    String id = judged().get(0).path("finding_id").asText();
    events.add(accept(id, Duration.ofMinutes(150)));
    List<JsonNode> found = judged();
    assertThat(found).hasSize(2);
    assertThat(found.get(1).path("state").asText()).isEqualTo("accepted");
  }

  @Test
  void tellsTheSameFromACheckpoint() {
    traffic(Duration.ofHours(4));
    events.add(eval("e-1", LATER, .33));
    events.add(eval("e-2", Duration.ofHours(3), LIVE));
    assertThat(against(alsoFromCheckpoints())).hasSize(2);
  }

  /** The share of the budget that the comparison had is free from the decision on. */
  @Test
  void tellsTheSameFromACheckpoint_whenTheDifferenceWasAccepted() {
    events.addAll(
        steady().run(Duration.ofMinutes(205)).run(Duration.ofMinutes(45), scores(-.02)).take());
    events.add(eval("e-1", LATER, .33));
    String id = judged().get(0).path("finding_id").asText();
    events.add(accept(id, Duration.ofMinutes(185)));
    List<Finding> found = alsoFromCheckpoints();
    assertThat(against(found)).hasSize(2);
    assertThat(found.size()).isGreaterThan(2);
  }

  /** The share of the budget that the comparison had is free when the configuration stops. */
  @Test
  void tellsTheSameFromACheckpoint_whenTheConfigurationStopped() {
    events.addAll(
        steady()
            .run(Duration.ofHours(3))
            .config("c0ffee0000000002")
            .run(Duration.ofMinutes(62))
            .run(Duration.ofMinutes(40), scores(-.02))
            .take());
    events.add(eval("e-1", LATER, .33));
    List<Finding> found = alsoFromCheckpoints();
    assertThat(against(found))
        .anyMatch(one -> one.path("closed_because").asText().contains("no longer serves"));
  }

  private List<Finding> alsoFromCheckpoints() {
    List<Finding> whole = new ArrayList<>();
    CheckpointingJudge chained = new CheckpointingJudge(policy, whole::add, 37);
    List<Finding> plain = new ArrayList<>();
    CheckpointingJudge never = new CheckpointingJudge(policy, plain::add, Integer.MAX_VALUE);
    CheckpointingJudge.feed(ordered(), List.of(chained, never));
    assertThat(chained.restarts()).isGreaterThan(5);
    assertThat(whole).isEqualTo(plain);
    assertThat(chained.state()).isEqualTo(never.state());
    return plain;
  }

  /**
   * The value was typed wrongly; both records are of the same time, or the correction of an
   * earlier.
   */
  @Test
  void comparesWithTheCorrection_whateverItsTimeAndId() {
    for (String id : List.of("e-0", "e-2")) {
      for (Duration at : List.of(LATER, LATER.minusMinutes(20))) {
        events.clear();
        traffic(Duration.ofHours(3));
        EvalResult correction = eval(id, at, LIVE);
        correction.setSupersedes("e-1");
        events.add(correction);
        events.add(eval("e-1", LATER, .33));
        assertThat(judged()).as("%s at %s", id, at).isEmpty();
      }
    }
  }

  @Test
  void comparesWithNoRecordThatDescribesNothingOrWasChanged() {
    traffic(Duration.ofHours(3));
    EvalResult unconfigured = eval("e-1", LATER, .33);
    unconfigured.setUnconfigured(true);
    events.add(unconfigured);
    EvalResult altered = eval("e-2", LATER, LIVE);
    EvalDigest.seal(altered);
    altered.setValue(.33);
    events.add(altered);
    assertThat(judged()).isEmpty();
    altered.setValue(LIVE);
    assertThat(EvalDigest.standing(altered)).isEqualTo(EvalDigest.Standing.INTACT);
  }
}
