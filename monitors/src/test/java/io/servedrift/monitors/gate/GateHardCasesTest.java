package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What looks alike and is not: runs that a gate with a hole would pass, or name wrongly. */
class GateHardCasesTest {
  private static final ArmPair BATCHED = ArmPair.within(Side.NEW, Regime.SINGLE, Regime.PRODUCTION);
  private static final ArmPair REUSED = ArmPair.within(Side.NEW, Regime.RECOMPUTE, Regime.REUSE);

  private static Evidence run(Consumer<SimulatedRun> change) {
    SimulatedRun run = new SimulatedRun(5);
    change.accept(run);
    return run.evidence();
  }

  private static GateResult judged(Evidence evidence) {
    return GateJudge.judge(evidence, SimulatedRun.policy());
  }

  private static CheckResult check(GateResult result, CheckName name) {
    return result.check(name).orElseThrow();
  }

  private static Evidence answers(
      Evidence e, Predicate<Answer> which, UnaryOperator<Answer> change) {
    List<Answer> all = e.answers().stream().map(a -> which.test(a) ? change.apply(a) : a).toList();
    return GateJudgeTest.with(e, all, e.distances());
  }

  private static Evidence distances(
      Evidence e, Predicate<PairDistance> which, UnaryOperator<PairDistance> change) {
    List<PairDistance> all =
        e.distances().stream().map(d -> which.test(d) ? change.apply(d) : d).toList();
    return GateJudgeTest.with(e, e.answers(), all);
  }

  private static Answer served(Answer a, Answer.Served served) {
    return new Answer(
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
        served);
  }

  private static Answer unscored(Answer a, AnswerStatus status) {
    return new Answer(
        a.arm(),
        a.block(),
        a.load(),
        a.prompt(),
        status,
        null,
        a.timing(),
        null,
        Map.of(),
        Map.of(),
        a.served());
  }

  private static PairDistance apart(PairDistance d, double cosine, double ssim) {
    return new PairDistance(d.pair(), d.prompt(), d.seed(), false, 8.0, ssim, cosine, null, null);
  }

  private static Predicate<Answer> in(Side side, Regime... regimes) {
    return a -> a.arm().side() == side && Set.of(regimes).contains(a.arm().regime());
  }

  private static Evidence rolled(Evidence e, RollbackEvidence rollback) {
    return new Evidence(
        e.modality(),
        e.oldBefore(),
        e.newBefore(),
        e.oldAfter(),
        e.newAfter(),
        e.settings(),
        e.answers(),
        e.distances(),
        rollback,
        e.traffic(),
        e.readiness());
  }

  private static Evidence ofNew(Evidence e, EndpointFacts before, @Nullable EndpointFacts after) {
    return new Evidence(
        e.modality(),
        e.oldBefore(),
        before,
        e.oldAfter(),
        after,
        e.settings(),
        e.answers(),
        e.distances(),
        e.rollback(),
        e.traffic(),
        e.readiness());
  }

  private static EndpointFacts facts(
      EndpointFacts f, String configId, JsonNode model, EndpointProfile profile) {
    return new EndpointFacts(
        f.side(),
        f.url(),
        configId,
        f.config(),
        ConfigFingerprint.ofModel(model).id(),
        model,
        profile,
        f.problems());
  }

  /** The new side differs from itself as far as from batch 1: its own noise is no floor. */
  @Test
  void failsBatchComposition_whenTheNewSideDiffersFromItselfAsMuch() {
    Evidence e =
        run(
            r -> {
              r.batchDistance = 0.5;
              r.newFloorDistance = 0.5;
            });
    assertThat(check(judged(e), CheckName.BATCH_COMPOSITION).state()).isEqualTo(CheckState.FAIL);

    // And when only two runs of new production differ.
    Evidence again = run(r -> r.newFloorDistance = 0.5);
    assertThat(check(judged(again), CheckName.BATCH_COMPOSITION).state())
        .isEqualTo(CheckState.FAIL);
  }

  @Test
  void concludesNothing_whenNothingWasServedAsAsked() {
    Evidence e =
        answers(
            run(r -> {}),
            in(
                Side.NEW,
                Regime.SINGLE,
                Regime.SINGLE_AGAIN,
                Regime.RECOMPUTE,
                Regime.RECOMPUTE_AGAIN),
            a -> served(a, new Answer.Served(8.0, true, null, 1)));
    GateResult result = judged(e);

    for (CheckName name :
        List.of(CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY)) {
      assertThat(check(result, name).state()).as(name.label()).isEqualTo(CheckState.INSUFFICIENT);
      assertThat(check(result, name).why()).contains("which they were asked not to");
    }
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
  }

  @Test
  void concludesNothingAtBatchOne_whenACacheCanBeNeitherPassedByNorEmptied() {
    Evidence e = run(r -> {});
    EndpointFacts f = e.newBefore();
    EndpointProfile p = f.profile();
    EndpointFacts stuck =
        facts(
            f,
            f.configId(),
            f.model(),
            new EndpointProfile(p.modality(), true, true, true, false, false, true, true, 1));
    Evidence untold =
        answers(
            ofNew(e, stuck, stuck),
            in(Side.NEW, Regime.SINGLE),
            a -> served(a, Answer.Served.unknown()));

    assertThat(check(judged(untold), CheckName.SEED_PARITY).state())
        .isEqualTo(CheckState.INSUFFICIENT);
    assertThat(judged(untold).deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
  }

  @Test
  void doesNotTakeOneBatchForProduction() {
    Evidence e =
        answers(
            run(r -> {}),
            a -> in(Side.NEW, Regime.PRODUCTION).test(a) && a.prompt().index() > 0,
            a -> served(a, new Answer.Served(1.0, false, null, 8)));

    CheckResult batch = check(judged(e), CheckName.BATCH_COMPOSITION);
    assertThat(batch.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(batch.measures())
        .anyMatch(m -> m.name().equals("answers in a batch of two or more") && m.n() == 300);
  }

  @Test
  void doesNotPassWhatNobodyTells() {
    Evidence e =
        answers(
            run(r -> {}),
            in(Side.NEW, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN, Regime.REUSE),
            a -> served(a, new Answer.Served(null, null, null, 1)));
    GateResult result = judged(e);

    assertThat(check(result, CheckName.BATCH_COMPOSITION).why())
        .isEqualTo(
            "the endpoint does not tell its batch sizes, and no two requests were in flight");
    assertThat(check(result, CheckName.CACHE_PARITY).why())
        .startsWith("the endpoint does not tell its hits");
    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
  }

  /** Three levels of 5000 requests; 2.4 % of the new side's at one of them get no answer. */
  private static Evidence loaded(Side failing, AnswerStatus status) {
    Evidence e = run(r -> r.requests = 15_000);
    List<Answer> all = new ArrayList<>();
    int number = 0;
    for (Answer a : e.answers()) {
      if (a.arm().regime() == Regime.OPEN_LOOP) {
        double load = List.of(0.8, 1.0, 1.2).get(number++ % 3);
        boolean fails = load == 1.2 && a.arm().side() == failing && number / 3 % 42 == 0;
        all.add(
            new Answer(
                a.arm(),
                a.block(),
                load,
                a.prompt(),
                fails ? status : a.status(),
                null,
                a.timing(),
                null,
                Map.of(),
                Map.of(),
                a.served()));
      } else {
        all.add(a);
      }
    }
    return GateJudgeTest.with(e, all, e.distances());
  }

  private static final GatePolicy THREE = GatePolicy.parse("load: {warm_up: 0s, slo: 3s}", "test");

  @Test
  void failsTheLevelAtWhichRequestsAreShed() {
    GateResult result = GateJudge.judge(loaded(Side.NEW, AnswerStatus.ERROR), THREE);

    assertThat(result.outcome()).isEqualTo(GateOutcome.FAIL);
    assertThat(result.why()).startsWith("the new side answers with too many errors");
    CheckResult tail = check(result, CheckName.P99_UNDER_LOAD);
    assertThat(tail.state()).isEqualTo(CheckState.FAIL);
    assertThat(tail.why())
        .contains("the p99 of the new side falls on requests that got no answer")
        .contains("share above 3.0 s (new, load 1.20)");
    // The table of tails says no other p99 than the check.
    assertThat(result.tails())
        .filteredOn(t -> t.arm().equals(Arm.fresh(Regime.OPEN_LOOP)) && t.load() == 1.2)
        .allMatch(t -> t.p99() == null && t.p50() != null && t.max() < 30);
  }

  @Test
  void doesNotCompareTailsThatNobodyAnswered() {
    Evidence e = loaded(Side.NEW, AnswerStatus.TIMEOUT);
    Evidence both =
        answers(
            e,
            a ->
                a.arm().equals(Arm.old(Regime.OPEN_LOOP))
                    && a.load() == 1.2
                    && a.prompt().index() % 40 == 2,
            a -> unscored(a, AnswerStatus.TIMEOUT));

    Measure ratio =
        check(GateJudge.judge(both, THREE), CheckName.P99_UNDER_LOAD).measures().stream()
            .filter(m -> m.name().equals("p99 ratio") && m.of().endsWith("load 1.20"))
            .findFirst()
            .orElseThrow();
    assertThat(ratio.state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(ratio.value()).isNull();
  }

  @Test
  void doesNotJudgeBlocksThatAreShorterThanThePolicyAsks() {
    GatePolicy strict = GatePolicy.parse("load: {levels: 1, block: 1h, warm_up: 1m}", "test");

    CheckResult tail = check(GateJudge.judge(run(r -> {}), strict), CheckName.P99_UNDER_LOAD);

    assertThat(tail.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(tail.why()).contains("the policy asks for 3600.0 s");
  }

  @Test
  void doesNotBelieveAScorerThatSeesNothing() {
    Evidence flat =
        answers(run(r -> {}), a -> !a.scores().isEmpty(), a -> a.withScore("clip", 0.31, "clip@1"));
    Evidence blind = distances(flat, d -> !d.identical(), d -> apart(d, 1.0, 0.05));

    GatePolicy absolute =
        GatePolicy.parse("load: {levels: 1, warm_up: 0s}\nscores: {clip: {margin: 0.01}}", "test");
    for (GatePolicy policy : List.of(SimulatedRun.policy(), absolute)) {
      GateResult result = GateJudge.judge(blind, policy);
      assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
      assertThat(check(result, CheckName.PROXY_DRIFT).state()).isEqualTo(CheckState.INSUFFICIENT);
      assertThat(check(result, CheckName.SEED_PARITY).state()).isEqualTo(CheckState.INSUFFICIENT);
    }
    // With scores that see, embeddings that do not are enough to hold seed parity.
    Evidence embeddings = distances(run(r -> {}), d -> !d.identical(), d -> apart(d, 1.0, 0.05));
    assertThat(check(judged(embeddings), CheckName.SEED_PARITY).why())
        .contains("the scorer sees nothing");
  }

  /** Embeddings are near, pictures are not: structure is judged as well. */
  @Test
  void failsSeedParity_whenOnlyTheStructureDiffers() {
    Evidence e =
        distances(
            run(r -> {}),
            d -> d.pair().equals(ArmPair.across(Regime.SINGLE)),
            d -> apart(d, 0.9999, 0.5));

    CheckResult parity = check(judged(e), CheckName.SEED_PARITY);
    assertThat(parity.state()).isEqualTo(CheckState.FAIL);
    assertThat(parity.why()).contains("1 - SSIM");
  }

  @Test
  void countsWhatCannotBeScored() {
    for (AnswerStatus status : List.of(AnswerStatus.OK, AnswerStatus.ERROR)) {
      Evidence e =
          answers(
              run(r -> {}),
              a -> in(Side.NEW, Regime.PRODUCTION).test(a) && a.prompt().index() % 22 == 0,
              a -> unscored(a, status));
      CheckResult drift = check(judged(e), CheckName.PROXY_DRIFT);
      assertThat(drift.state()).isEqualTo(CheckState.INSUFFICIENT);
      assertThat(drift.why()).contains("14 of 300 pairs have the score on one side only");
    }
  }

  /** Two of 300 are within the errors allowed, and count as invalid: .0067 is above .005. */
  @Test
  void takesAMissingRatioForTheWorst() {
    Evidence e = run(r -> r.json = 0.9);
    Evidence missing =
        answers(
            e,
            a -> in(Side.NEW, Regime.PRODUCTION).test(a) && a.prompt().index() < 2,
            a -> unscored(a, AnswerStatus.OK));
    Measure all = json(judged(e));
    Measure two = json(judged(missing));

    assertThat(all.value()).isZero();
    assertThat(two.n()).isEqualTo(300);
    assertThat(two.value()).isBetween(-2 / 300.0 - 1e-12, 0.0).isNotZero();
  }

  private static Measure json(GateResult result) {
    return check(result, CheckName.PROXY_DRIFT).measures().stream()
        .filter(m -> m.name().startsWith("json_valid"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void missesAScoreThatThePolicyNames() {
    GatePolicy policy =
        GatePolicy.parse(
            "load: {levels: 1, warm_up: 0s}\n"
                + "scores: {preference: {margin: 0.01}, json_valid: {margin: 0.01}}",
            "test");

    GateResult result = GateJudge.judge(run(r -> {}), policy);

    assertThat(result.outcome()).isEqualTo(GateOutcome.INSUFFICIENT);
    assertThat(check(result, CheckName.PROXY_DRIFT).why())
        .contains("preference")
        .doesNotContain("json_valid");
  }

  @Test
  void doesNotPassARollbackWithProblems_norOneThatHardlyAnybodyAsked() {
    Evidence e = run(r -> {});
    RollbackEvidence b = e.rollback();
    Evidence late =
        rolled(
            e,
            new RollbackEvidence(
                true,
                b.how(),
                b.before(),
                b.after(),
                8,
                0,
                List.of("the switched address did not serve the old configuration in time")));
    assertThat(check(judged(late), CheckName.ROLLBACK).state()).isEqualTo(CheckState.FAIL);

    List<Answer> one =
        e.answers().stream()
            .filter(a -> a.arm().regime() != Regime.AFTER_FLIP || a.prompt().index() == 0)
            .toList();
    assertThat(check(judged(GateJudgeTest.with(e, one, e.distances())), CheckName.ROLLBACK).state())
        .isEqualTo(CheckState.INSUFFICIENT);

    List<Answer> none =
        e.answers().stream().filter(a -> a.arm().regime() != Regime.AFTER_FLIP).toList();
    Evidence stuck =
        rolled(
            GateJudgeTest.with(e, none, e.distances()),
            new RollbackEvidence(
                true, b.how(), b.before(), null, 0, 0, List.of("the flip command ended with 1")));
    CheckResult forward = check(judged(stuck), CheckName.ROLLBACK);
    assertThat(forward.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(forward.why())
        .isEqualTo("it did not get to the new side: the flip command ended with 1");
  }

  @Test
  void failsTheCache_whenAnotherTextIsReused() {
    Evidence e =
        distances(
            GateChatAndLoadTest.chat(0, 0, 0.7),
            d -> d.pair().equals(REUSED),
            d -> GateChatAndLoadTest.tokens(d.pair(), d.prompt(), 0.9));

    GateResult result = judged(e);

    assertThat(check(result, CheckName.CACHE_PARITY).state()).isEqualTo(CheckState.FAIL);
    assertThat(result.outcome()).isEqualTo(GateOutcome.FAIL);
  }

  @Test
  void looksAtTheTextOfABatch_whereChanceDrawsNothing() {
    List<PairDistance> more = new ArrayList<>();
    for (double temperature : new double[] {0, 0.7}) {
      Evidence e = GateChatAndLoadTest.chat(0, 0, temperature);
      more.clear();
      more.addAll(e.distances());
      for (int i = 0; i < 700; i++) {
        for (Side side : Side.values()) {
          more.add(
              GateChatAndLoadTest.tokens(
                  ArmPair.within(side, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN), i, 0));
        }
        more.add(GateChatAndLoadTest.tokens(BATCHED, i, 0.9));
      }
      CheckResult batch =
          check(judged(GateJudgeTest.with(e, e.answers(), more)), CheckName.BATCH_COMPOSITION);
      assertThat(batch.state()).isEqualTo(temperature == 0 ? CheckState.FAIL : CheckState.PASS);
    }
  }

  /** Nobody knows how production is drawn; that it differs from itself must excuse nothing. */
  @Test
  void holdsChatAgainstBatchOne_whenTheTemperatureIsNotKnown() {
    for (Double temperature : new Double[] {null, 0.0, 0.7}) {
      Evidence e = GateChatAndLoadTest.chat(0, 0.9, temperature);
      List<PairDistance> more = new ArrayList<>(e.distances());
      for (int i = 0; i < 700; i++) {
        more.add(
            GateChatAndLoadTest.tokens(
                ArmPair.within(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN), i, 0.8));
      }
      assertThat(
              check(judged(GateJudgeTest.with(e, e.answers(), more)), CheckName.SEED_PARITY)
                  .state())
          .as("temperature %s", temperature)
          .isEqualTo(CheckState.FAIL);
    }
  }

  /** Both sides sample in production and lose 4 % of their validity by that: nothing moved. */
  @Test
  void doesNotBlameBatchingForSampling() {
    Evidence e =
        answers(
            GateChatAndLoadTest.chat(0, 0, 0.7),
            a ->
                (a.arm().regime() == Regime.PRODUCTION
                        || a.arm().regime() == Regime.PRODUCTION_AGAIN)
                    && a.prompt().index() % 25 == 0,
            a -> a.withScore("json_valid", 0, "json-schema@1"));

    GateResult result = judged(e);

    assertThat(check(result, CheckName.BATCH_COMPOSITION).state()).isEqualTo(CheckState.PASS);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.NO_GAP);
  }

  @Test
  void doesNotBlameTheNewSideForTheOldOnesBatching() {
    Evidence e =
        answers(
            run(r -> r.batchNoise = 0.002),
            in(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN),
            a -> a.withScore("clip", a.scores().get("clip") - 0.01, "clip@1"));

    assertThat(check(judged(e), CheckName.BATCH_COMPOSITION).state()).isEqualTo(CheckState.PASS);
  }

  @Test
  void doesNotBlameTheCache_whenRecomputingDoesNotRepeatItself() {
    Evidence e =
        answers(
            run(r -> r.reuseShift = -0.02),
            in(Side.NEW, Regime.RECOMPUTE_AGAIN),
            a -> a.withScore("clip", a.scores().get("clip") - 0.02, "clip@1"));

    CheckResult cache = check(judged(e), CheckName.CACHE_PARITY);
    assertThat(cache.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(cache.why()).startsWith("recomputing was not shown to repeat itself");
  }

  @Test
  void saysThatAClassMoved_whenItIsTheOnlyOne() {
    Evidence e =
        answers(
            run(r -> r.prompts = 400),
            a -> a.prompt().index() % 8 == 0 && !a.scores().isEmpty() && !a.arm().regime().load(),
            a -> {
              double loss = a.arm().side() == Side.NEW ? 0.012 : 0;
              Answer rare =
                  new Answer(
                      a.arm(),
                      a.block(),
                      a.load(),
                      new Answer.Prompt(a.prompt().index(), null, "rare", a.prompt().seed()),
                      a.status(),
                      a.error(),
                      a.timing(),
                      a.output(),
                      a.scores(),
                      a.scorers(),
                      a.served());
              return rare.withScore("clip", a.scores().get("clip") - loss, "clip@1");
            });
    GateResult result = judged(e);

    assertThat(check(result, CheckName.PROXY_DRIFT).state()).isEqualTo(CheckState.FAIL);
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
    assertThat(result.deciding().because()).anyMatch(s -> s.contains("prompt class rare"));
  }

  @Test
  void saysNothing_whenASideChangedOrAnswersWithErrorsOrIsNotKnown() {
    Evidence moved = run(r -> r.singleShift = -0.01);
    EndpointFacts f = moved.newBefore();
    List<Evidence> runs =
        List.of(
            ofNew(moved, f, facts(f, "another", f.model(), f.profile())),
            run(r -> r.newErrors = 0.3),
            run(
                r -> {
                  r.singleShift = -0.01;
                  r.newWeights = "sha256:bb";
                  r.recorded = false;
                }),
            run(r -> r.ended = false));

    assertThat(runs)
        .extracting(e -> judged(e).deciding().verdict())
        .containsOnly(DecidingSentence.Verdict.CANNOT_TELL);
  }

  @Test
  void doesNotTakeAnAdapterForTheServingLayer() throws IOException {
    Evidence e = run(r -> r.singleShift = -0.01);
    EndpointFacts f = e.newBefore();
    JsonNode adapted =
        new ObjectMapper()
            .readTree(
                "{\"name\":\"m\",\"weights_digest\":\"sha256:AA\",\"extra\":{\"adapter\":\"l\"}}");
    EndpointFacts other = facts(f, f.configId(), adapted, f.profile());

    GateResult result = judged(ofNew(e, other, other));

    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
    assertThat(result.deciding().because()).anyMatch(s -> s.contains("adapter"));
    assertThat(result.changed().axes()).containsExactly("model");
  }

  @Test
  void doesNotBlameBatching_whereThereIsNeitherBatchNorCache() {
    GateResult result =
        judged(
            run(
                r -> {
                  r.newBatches = false;
                  r.newCaches = false;
                  r.batchShift = -0.01;
                }));

    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.CANNOT_TELL);
  }

  @Test
  void namesBothCauses() {
    GateResult result =
        judged(
            run(
                r -> {
                  r.singleShift = -0.01;
                  r.batchShift = -0.01;
                }));

    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
    assertThat(result.deciding().text()).contains("batching moves it as well");
  }

  private static String finding(String cause, String metric, GateResult result) throws IOException {
    FindingTest test =
        FindingTest.of(
            new ObjectMapper()
                .readTree(
                    "{\"metric\":\"" + metric + "\",\"verdict\":{\"cause\":\"" + cause + "\"}}"),
            Map.of(),
            List.of());
    return test.sentence(test.answer(result, Set.of(CheckName.values())));
  }

  @Test
  void confirmsOnlyACauseThatWasVaried() throws IOException {
    GateResult slow = judged(run(r -> r.slower = 1.5));
    GateResult numerics =
        judged(
            run(
                r -> {
                  r.singleShift = -0.01;
                  r.singleDistance = 0.02;
                  r.newPrecision = "fp8";
                }));

    assertThat(finding("cache", "stage:denoise", slow)).contains("neither confirmed");
    assertThat(finding("scheduling", "latency", slow)).endsWith("is confirmed.");
    assertThat(finding("model", "clip", numerics)).contains("neither confirmed");
    assertThat(finding("config_change", "clip", numerics)).endsWith("is confirmed.");
    assertThat(finding("inconclusive", "clip", numerics)).contains("names no cause");
    assertThat(finding("cache", "clip", slow)).contains("is not confirmed");
  }
}
