package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GateJudgeTest {
  private static GateResult judged(Consumer<SimulatedRun> change) {
    return judged(SimulatedRun.policy(), change);
  }

  private static GateResult judged(GatePolicy policy, Consumer<SimulatedRun> change) {
    SimulatedRun run = new SimulatedRun(11);
    change.accept(run);
    return GateJudge.judge(run.evidence(), policy);
  }

  private static CheckState state(GateResult result, CheckName name) {
    return result.check(name).orElseThrow().state();
  }

  private static List<CheckName> in(GateResult result, CheckState state) {
    return result.checks().stream().filter(c -> c.state() == state).map(CheckResult::name).toList();
  }

  @Test
  void passes_whenBothSidesAreAlike() {
    GateResult result = judged(run -> {});

    assertThat(result.checks()).extracting(CheckResult::name).containsExactly(CheckName.values());
    assertThat(in(result, CheckState.PASS)).as(result.why()).containsExactly(CheckName.values());
    assertThat(result.outcome()).isEqualTo(GateOutcome.PASS);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
    assertThat(result.bar()).isNull();
    assertThat(result.problems()).isEmpty();
  }

  @Test
  void blamesTheServingLayer_whenTheGapIsThereAtBatchOne() {
    GateResult result =
        judged(
            run -> {
              run.singleShift = -0.01;
              run.singleDistance = 0.02;
              run.newPrecision = "fp8";
            });

    assertThat(in(result, CheckState.FAIL))
        .containsExactly(CheckName.SEED_PARITY, CheckName.PROXY_DRIFT);
    assertThat(result.outcome()).isEqualTo(GateOutcome.FAIL);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
    assertThat(result.deciding().text()).contains("precision");
    assertThat(result.changed().axes()).containsExactly("precision");
    assertThat(result.changed().plan()).isEmpty();
  }

  /** Outputs are far apart, and scores too noisy to tell: outputs moved, no gap is claimed. */
  @Test
  void blamesTheServingLayerForOutputs_whenScoresCannotTell() {
    GateResult result =
        judged(
            run -> {
              run.singleDistance = 0.02;
              run.singleNoise = 0.03;
            });

    assertThat(in(result, CheckState.FAIL)).containsExactly(CheckName.SEED_PARITY);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
    assertThat(result.deciding().text()).contains("outputs differ at batch 1");
  }

  @Test
  void saysThereIsNoQualityGap_whenOnlyOutputsDiffer() {
    GateResult result = judged(run -> run.singleDistance = 0.02);

    assertThat(in(result, CheckState.FAIL)).containsExactly(CheckName.SEED_PARITY);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
    assertThat(result.deciding().because())
        .anyMatch(s -> s.startsWith("outputs differ at batch 1 all the same"));
  }

  @Test
  void blamesBatching_whenScoresFallInProductionOnly() {
    GateResult result =
        judged(
            run -> {
              run.batchShift = -0.01;
              run.batchDistance = 0.05;
            });

    assertThat(in(result, CheckState.FAIL))
        .containsExactly(CheckName.BATCH_COMPOSITION, CheckName.PROXY_DRIFT);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.BATCHING_OR_CACHING);
    assertThat(result.deciding().text()).contains("(batching)");
  }

  @Test
  void blamesTheCache_whenReuseGivesSomethingElse() {
    GateResult result = judged(run -> run.staleShare = 0.4);

    assertThat(in(result, CheckState.FAIL)).containsExactly(CheckName.CACHE_PARITY);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.BATCHING_OR_CACHING);
    assertThat(result.deciding().text()).contains("(caching)");
  }

  /** Of 300 reused answers 100 missed the cache: what they were compared with is the same path. */
  @Test
  void leavesMissesOut_whenTheCacheIsJudged() {
    Evidence evidence = new SimulatedRun(5).evidence();
    List<Answer> missed =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().regime() == Regime.REUSE && a.prompt().index() % 3 == 0
                        ? new Answer(
                            a.arm(),
                            a.block(),
                            a.load(),
                            a.prompt(),
                            a.status(),
                            a.error(),
                            a.timing(),
                            a.output(),
                            a.scores(),
                            a.scorers(),
                            new Answer.Served(1.0, false, null, 1))
                        : a)
            .toList();

    CheckResult cache =
        GateJudge.judge(with(evidence, missed, evidence.distances()), policy())
            .check(CheckName.CACHE_PARITY)
            .orElseThrow();

    assertThat(cache.state()).isEqualTo(CheckState.PASS);
    assertThat(cache.measures().get(0).n()).isEqualTo(200);
    assertThat(cache.measures())
        .anyMatch(m -> m.name().equals("cache hits") && m.value() == 200 / 300.0);
  }

  @Test
  void failsOnlyTheTail_whenTheSchedulerIsSlow() {
    GateResult result = judged(run -> run.slower = 1.5);

    assertThat(in(result, CheckState.FAIL)).containsExactly(CheckName.P99_UNDER_LOAD);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
  }

  @Test
  void failsTheRollback_whenItEndsInAnotherConfigurationOrLosesRequests() {
    GateResult wrong =
        judged(
            run -> {
              run.rollbackEnds = false;
              run.newPrecision = "fp8";
            });
    GateResult lossy = judged(run -> run.lost = 1);

    assertThat(in(wrong, CheckState.FAIL)).containsExactly(CheckName.ROLLBACK);
    assertThat(in(lossy, CheckState.FAIL)).containsExactly(CheckName.ROLLBACK);
  }

  @Test
  void neverPasses_whenTheRollbackWasNotTried() {
    GateResult result = judged(run -> run.rollback = false);

    assertThat(state(result, CheckName.ROLLBACK)).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(result.check(CheckName.ROLLBACK).orElseThrow().why())
        .isEqualTo("it was not tried: no flip command was given");
    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
  }

  @Test
  void fails_whenTheNewSideAnswersWithErrorsOnly() {
    GateResult result = judged(run -> run.newErrors = 1);

    assertThat(result.outcome()).isEqualTo(GateOutcome.FAIL);
    assertThat(result.why()).startsWith("the new side answers with too many errors");
    assertThat(in(result, CheckState.PASS)).containsOnly(CheckName.ROLLBACK);
  }

  @Test
  void concludesNothing_whenTheOldSideAnswersWithErrors() {
    GateResult result = judged(run -> run.oldErrors = 0.5);

    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
    assertThat(in(result, CheckState.PASS)).containsOnly(CheckName.ROLLBACK);
  }

  @Test
  void concludesNothing_whenTheOldSideDiffersFromItself() {
    GateResult result =
        judged(
            run -> {
              run.controlShift = -0.02;
              run.batchShift = -0.02;
            });

    assertThat(result.control().state()).isEqualTo(CheckState.FAIL);
    assertThat(in(result, CheckState.FAIL)).isEmpty();
    assertThat(result.check(CheckName.PROXY_DRIFT).orElseThrow().why())
        .startsWith("nothing may be concluded: the old side differs from itself");
    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
  }

  @Test
  void concludesNothing_withoutControl() {
    Evidence whole = new SimulatedRun(3).evidence();
    List<Answer> without =
        whole.answers().stream()
            .filter(a -> !a.arm().equals(Arm.old(Regime.PRODUCTION_AGAIN)))
            .toList();

    GateResult result = GateJudge.judge(with(whole, without, whole.distances()), policy());

    assertThat(result.control().state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(in(result, CheckState.PASS)).containsOnly(CheckName.ROLLBACK);
    assertThat(in(result, CheckState.FAIL)).isEmpty();
  }

  @Test
  void doesNotApply_whenThereIsNoBatchOrNoCache() {
    GateResult result =
        judged(
            run -> {
              run.newBatches = false;
              run.newCaches = false;
            });

    assertThat(in(result, CheckState.NOT_APPLICABLE))
        .containsExactly(CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY);
    assertThat(result.outcome()).as(result.why()).isEqualTo(GateOutcome.PASS);
  }

  @Test
  void isInsufficient_whenAnEndpointTakesNoSeed() {
    GateResult result = judged(run -> run.seeds = false);

    assertThat(in(result, CheckState.INSUFFICIENT)).contains(CheckName.SEED_PARITY);
    assertThat(result.check(CheckName.SEED_PARITY).orElseThrow().why())
        .contains("nothing says that the old endpoint takes a seed, neither it nor a profile");
    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
  }

  @Test
  void saysNothingOfASeed_whenASideNeverAnswered() {
    GateResult result =
        judged(
            run -> {
              run.seeds = false;
              run.oldErrors = 1;
              run.rollback = false;
            });

    assertThat(state(result, CheckName.SEED_PARITY)).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(result.check(CheckName.SEED_PARITY).orElseThrow().why())
        .containsPattern("the old endpoint answered none of \\d+ requests \\(http_500\\)")
        .contains("nothing says that it takes a seed");
  }

  @Test
  void fails_whenAConfigurationCannotBeRecorded() {
    GateResult result = judged(run -> run.recorded = false);

    assertThat(result.outcome()).isEqualTo(GateOutcome.FAIL);
    assertThat(result.problems())
        .containsExactly(
            "the configuration of the new side could not be recorded: GET /server_info answered"
                + " 404");
  }

  @Test
  void neverPasses_whenTheRunDidNotEnd() {
    GateResult result = judged(run -> run.ended = false);

    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
    assertThat(result.problems()).hasSize(2);
  }

  @Test
  void saysNothingAboutTheServingLayer_whenWeightsDifferOrAreUnknown() {
    for (String weights : new String[] {"sha256:bb", null}) {
      for (double batch : new double[] {0, -0.02}) {
        GateResult result =
            judged(
                run -> {
                  run.newWeights = weights;
                  run.newPrecision = "fp8";
                  run.singleShift = -0.01;
                  run.batchShift = batch;
                  run.staleShare = batch == 0 ? 0 : 0.4;
                });
        assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
        assertThat(result.deciding().text()).doesNotContain("serving layer");
      }
    }
  }

  @Test
  void blamesTheModel_whenOnlyTheWeightsDiffer() {
    GateResult result =
        judged(
            run -> {
              run.newWeights = "sha256:bb";
              run.singleShift = -0.01;
            });

    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.MODEL);
    assertThat(result.changed().weights()).isEqualTo(ChangedAxes.Weights.DIFFERENT);
  }

  @Test
  void findsTheClass_whenOnlyOneIsWorse() {
    SimulatedRun run = new SimulatedRun(5);
    run.prompts = 400;
    Evidence evidence = run.evidence();
    List<Answer> worse =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().equals(Arm.fresh(Regime.PRODUCTION)) && a.prompt().index() % 3 == 0
                        ? a.withScore("clip", a.scores().get("clip") - 0.008, "clip@1")
                        : a)
            .toList();

    CheckResult drift =
        GateJudge.judge(with(evidence, worse, evidence.distances()), policy())
            .check(CheckName.PROXY_DRIFT)
            .orElseThrow();

    assertThat(drift.state()).isEqualTo(CheckState.FAIL);
    assertThat(drift.why()).contains("prompt class portrait").doesNotContain("landscape");
  }

  @Test
  void refusesToCompare_whenTheScorerChanged() {
    Evidence evidence = new SimulatedRun(5).evidence();
    List<Answer> other =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().equals(Arm.fresh(Regime.PRODUCTION))
                        ? a.withScore("clip", a.scores().get("clip"), "clip@2")
                        : a)
            .toList();

    CheckResult drift =
        GateJudge.judge(with(evidence, other, evidence.distances()), policy())
            .check(CheckName.PROXY_DRIFT)
            .orElseThrow();

    assertThat(drift.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(drift.why()).contains("different scorers: clip@1, clip@2");
  }

  /** Unscored answers are left out only where both sides have as many of them. */
  @Test
  void refusesToCompare_whenManyAnswersOfOneSideHaveNoScore() {
    Evidence evidence = new SimulatedRun(5).evidence();
    List<Answer> unscored =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().equals(Arm.fresh(Regime.PRODUCTION)) && a.prompt().index() % 10 == 0
                        ? new Answer(
                            a.arm(),
                            a.block(),
                            a.load(),
                            a.prompt(),
                            a.status(),
                            a.error(),
                            a.timing(),
                            a.output(),
                            Map.of(),
                            Map.of(),
                            a.served())
                        : a)
            .toList();

    CheckResult drift =
        GateJudge.judge(with(evidence, unscored, evidence.distances()), policy())
            .check(CheckName.PROXY_DRIFT)
            .orElseThrow();

    assertThat(drift.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(drift.why()).contains("30 of 300 pairs have the score on one side only");
  }

  /** 270 identical pairs and 30 that differ without embedding: 90 % may be alike, or all. */
  @Test
  void doesNotTakePairsWithoutEmbeddingForAlike() {
    Evidence evidence = new SimulatedRun(5).evidence();
    List<PairDistance> some = new ArrayList<>();
    for (PairDistance d : evidence.distances()) {
      boolean across = d.pair().equals(ArmPair.across(Regime.SINGLE));
      boolean same = across && d.prompt() % 10 != 0;
      some.add(
          new PairDistance(
              d.pair(),
              d.prompt(),
              d.seed(),
              same || d.identical(),
              null,
              0.999,
              across ? null : d.cosine(),
              null,
              null));
    }

    CheckResult parity =
        GateJudge.judge(with(evidence, evidence.answers(), some), policy())
            .check(CheckName.SEED_PARITY)
            .orElseThrow();

    assertThat(parity.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(parity.why()).contains("cosine of at least 0.98");
  }

  @Test
  void saysHowManyPairsItNeeds_whenItCannotDecide() {
    GateResult result =
        judged(
            run -> {
              run.batchNoise = 0.015;
              run.prompts = 120;
            });

    CheckResult drift = result.check(CheckName.PROXY_DRIFT).orElseThrow();
    assertThat(drift.state()).isEqualTo(CheckState.INSUFFICIENT);
    // Differences have sd .0212, the margin is .1 x .03: (1.645 + 1.645)^2 x 50 = 541 pairs, or
    // more when the difference seen is not zero.
    assertThat(drift.needed()).isBetween(300L, 3000L);
  }

  @Test
  void readsTheBar_onlyAfterItPassed() {
    GatePolicy low = GatePolicy.parse(BAR.formatted("0.29"), "test");
    GatePolicy high = GatePolicy.parse(BAR.formatted("0.33"), "test");
    GatePolicy near = GatePolicy.parse(BAR.formatted("0.31"), "test");

    assertThat(judged(low, run -> {}).bar().advice()).isEqualTo(BarSentence.Advice.NEITHER);
    assertThat(judged(high, run -> {}).bar().advice()).isEqualTo(BarSentence.Advice.RETRAIN);
    assertThat(judged(near, run -> {}).bar().advice()).isEqualTo(BarSentence.Advice.CANNOT_TELL);
    assertThat(judged(low, run -> run.slower = 1.5).bar()).isNull();
  }

  private static final String BAR =
      "load: {levels: 1, warm_up: 0s}\nscores: {clip: {quality_bar: %s}}";

  @Test
  void changesTheServingLayer_whenOnlyProductionMissesTheBar() {
    GatePolicy policy =
        GatePolicy.parse(
            "load: {levels: 1, warm_up: 0s}\nminimum_pairs: 100\n"
                + "scores: {clip: {quality_bar: 0.3, margin: 0.05, stratum_margin: 0.05}}",
            "test");
    // Old and new lose the same in production: the gate passes, and both miss the bar there.
    SimulatedRun run = new SimulatedRun(9);
    Evidence evidence = run.evidence();
    List<Answer> lower =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().regime() == Regime.PRODUCTION
                            || a.arm().regime() == Regime.PRODUCTION_AGAIN
                        ? a.withScore("clip", a.scores().get("clip") - 0.03, "clip@1")
                        : a)
            .toList();

    GateResult result = GateJudge.judge(with(evidence, lower, evidence.distances()), policy);

    assertThat(result.outcome()).as(result.why()).isEqualTo(GateOutcome.PASS);
    assertThat(result.bar().advice()).isEqualTo(BarSentence.Advice.CHANGE_THE_SERVING_LAYER);
  }

  @Property(tries = 15)
  void neverPasses_belowTheMinimumOfPairs(
      @ForAll @IntRange(min = 0, max = 99) int prompts, @ForAll long seed) {
    SimulatedRun run = new SimulatedRun(seed);
    run.prompts = prompts;
    run.rollback = prompts > 0;

    GateResult result = GateJudge.judge(run.evidence(), policy());

    assertThat(result.outcome()).isNotEqualTo(GateOutcome.PASS);
    for (CheckName name :
        List.of(CheckName.SEED_PARITY, CheckName.PROXY_DRIFT, CheckName.CACHE_PARITY)) {
      assertThat(state(result, name)).isEqualTo(CheckState.INSUFFICIENT);
    }
  }

  /** Whatever was recorded: a verdict, never an exception, and no pass. */
  @Property(tries = 150)
  void judgesAnything(@ForAll long seed) {
    Random random = new Random(seed);
    SimulatedRun run = new SimulatedRun(seed);
    run.prompts = 1;
    Evidence frame = run.evidence();
    double[] odd = {0, 1, -1, 0.31, 1e9, 1e300, Double.NaN, Double.POSITIVE_INFINITY, -1e-300};
    List<Answer> answers = new ArrayList<>();
    List<PairDistance> distances = new ArrayList<>();
    int number = random.nextInt(300);
    for (int i = 0; i < number; i++) {
      Regime regime = any(List.of(Regime.values()), random);
      Arm arm = new Arm(random.nextBoolean() ? Side.OLD : Side.NEW, regime);
      double score = odd[random.nextInt(odd.length)];
      answers.add(
          new Answer(
              arm,
              random.nextInt(3),
              random.nextBoolean() ? null : odd[random.nextInt(odd.length)],
              new Answer.Prompt(random.nextInt(12), null, null, random.nextInt(2)),
              any(List.of(AnswerStatus.values()), random),
              null,
              new Answer.Timing(random.nextLong(), 0, odd[random.nextInt(odd.length)], score, null),
              null,
              random.nextBoolean() ? Map.of() : Map.of("clip", score, "json_valid", score),
              Map.of(),
              new Answer.Served(random.nextBoolean() ? null : score, null, null, null)));
      ArmPair pair = any(ArmPair.judged(), random);
      distances.add(
          new PairDistance(
              pair,
              random.nextInt(12),
              random.nextInt(2),
              random.nextBoolean(),
              odd[random.nextInt(odd.length)],
              random.nextBoolean() ? null : odd[random.nextInt(odd.length)],
              odd[random.nextInt(odd.length)],
              null,
              null));
    }
    GatePolicy small = GatePolicy.parse("minimum_pairs: 5\nstrata: {least_pairs: 5}", "test");

    GateResult result = GateJudge.judge(with(frame, answers, distances), small);

    assertThat(result.outcome()).isNotEqualTo(GateOutcome.PASS);
    assertThat(result.checks()).hasSize(CheckName.values().length);
  }

  private static <T> T any(List<T> values, Random random) {
    return values.get(random.nextInt(values.size()));
  }

  @Property(tries = 5)
  void doesNotDependOnTheOrderOfAnswers(@ForAll long seed) {
    Evidence evidence = new SimulatedRun(21).evidence();
    List<Answer> answers = new ArrayList<>(evidence.answers());
    List<PairDistance> distances = new ArrayList<>(evidence.distances());
    Collections.shuffle(answers, new Random(seed));
    Collections.shuffle(distances, new Random(seed + 1));

    assertThat(GateJudge.judge(with(evidence, answers, distances), policy()))
        .isEqualTo(GateJudge.judge(evidence, policy()));
  }

  /** More noise widens intervals: what failed may become insufficient, it does not pass. */
  @Property(tries = 15)
  void doesNotTurnFailIntoPass_whenNoiseIsAdded(
      @ForAll @IntRange(min = 1, max = 30) int noise, @ForAll long seed) {
    SimulatedRun run = new SimulatedRun(seed);
    run.batchShift = -0.01;
    run.batchNoise = 0.004 + noise * 0.002;
    run.slower = 1.5;
    run.latencySd = 0.3 + noise * 0.02;

    GateResult result = GateJudge.judge(run.evidence(), policy());

    assertThat(state(result, CheckName.PROXY_DRIFT)).isNotEqualTo(CheckState.PASS);
    assertThat(state(result, CheckName.P99_UNDER_LOAD)).isNotEqualTo(CheckState.PASS);
    assertThat(result.outcome()).isNotEqualTo(GateOutcome.PASS);
  }

  private static GatePolicy policy() {
    return SimulatedRun.policy();
  }

  static Evidence with(Evidence e, List<Answer> answers, List<PairDistance> distances) {
    return new Evidence(
        e.modality(),
        e.oldBefore(),
        e.newBefore(),
        e.oldAfter(),
        e.newAfter(),
        e.settings(),
        answers,
        distances,
        e.rollback(),
        e.traffic(),
        e.readiness());
  }
}
