package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Chat endpoints, and the load test by itself. */
class GateChatAndLoadTest {
  private static final int PROMPTS = 700;

  /** Equal chat sides but for what is changed: valid JSON is lost, tokens differ. */
  private static Evidence chat(double lostShare, double otherTokens) {
    return chat(lostShare, otherTokens, 0.7);
  }

  static Evidence chat(double lostShare, double otherTokens, @Nullable Double temperature) {
    SplittableRandom random = new SplittableRandom(4);
    SimulatedRun simulated = new SimulatedRun(2);
    simulated.prompts = 0;
    Evidence frame = simulated.evidence();
    List<Answer> answers = new ArrayList<>(frame.answers());
    List<PairDistance> distances = new ArrayList<>();
    for (int prompt = 0; prompt < PROMPTS; prompt++) {
      boolean lost = random.nextDouble() < lostShare;
      for (Side side : Side.values()) {
        for (Regime regime :
            List.of(
                Regime.SINGLE,
                Regime.SINGLE_AGAIN,
                Regime.PRODUCTION,
                Regime.PRODUCTION_AGAIN,
                Regime.REUSE,
                Regime.RECOMPUTE,
                Regime.RECOMPUTE_AGAIN)) {
          boolean invalid = side == Side.NEW && lost;
          answers.add(answer(new Arm(side, regime), prompt, invalid ? 0 : 1));
        }
        for (Regime[] pair :
            new Regime[][] {
              {Regime.SINGLE, Regime.SINGLE_AGAIN},
              {Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN},
              {Regime.RECOMPUTE, Regime.REUSE}
            }) {
          distances.add(tokens(ArmPair.within(side, pair[0], pair[1]), prompt, 0));
        }
      }
      distances.add(
          tokens(
              ArmPair.across(Regime.SINGLE), prompt, random.nextDouble() < otherTokens ? 0.4 : 0));
    }
    Evidence e = GateJudgeTest.with(frame, answers, distances);
    RunSettings s = e.settings();
    return new Evidence(
        Modality.CHAT,
        chat(e.oldBefore()),
        chat(e.newBefore()),
        chat(e.oldBefore()),
        chat(e.newBefore()),
        new RunSettings(
            s.runId(),
            s.startedAt(),
            s.seed(),
            PROMPTS,
            s.concurrency(),
            s.peakPerSecond(),
            s.loads(),
            s.blocks(),
            s.blockSeconds(),
            s.warmUpSeconds(),
            temperature),
        e.answers(),
        e.distances(),
        e.rollback(),
        e.traffic(),
        e.readiness());
  }

  private static EndpointFacts chat(EndpointFacts f) {
    EndpointProfile p = f.profile();
    return new EndpointFacts(
        f.side(),
        f.url(),
        f.configId(),
        f.config(),
        f.modelId(),
        f.model(),
        new EndpointProfile(
            Modality.CHAT,
            p.batches(),
            p.caches(),
            p.seed(),
            p.cacheBypass(),
            p.flush(),
            p.weightsDigest(),
            p.deterministic(),
            p.devices()),
        f.problems());
  }

  private static Answer answer(Arm arm, int prompt, double valid) {
    return new Answer(
        arm,
        0,
        null,
        new Answer.Prompt(prompt, null, "extraction", 7),
        AnswerStatus.OK,
        null,
        new Answer.Timing(0, 0, 1, 1, 0.1),
        null,
        Map.of("json_valid", valid),
        Map.of("json_valid", "json-schema@1"),
        new Answer.Served(
            arm.regime() == Regime.PRODUCTION || arm.regime() == Regime.PRODUCTION_AGAIN
                ? 4.0
                : 1.0,
            arm.regime() == Regime.REUSE,
            null,
            4));
  }

  static PairDistance tokens(ArmPair pair, int prompt, double other) {
    return new PairDistance(
        pair, prompt, 7, other == 0, null, null, null, other == 0 ? null : (Integer) 12, 1 - other);
  }

  @Test
  void passes_whenChatSidesAreAlike() {
    GateResult result = GateJudge.judge(chat(0, 0), SimulatedRun.policy());

    assertThat(result.outcome()).as(result.why()).isEqualTo(GateOutcome.PASS);
  }

  @Test
  void failsOnValidity_whenTheNewSideLosesIt() {
    GateResult result = GateJudge.judge(chat(0.05, 0), SimulatedRun.policy());

    CheckResult drift = result.check(CheckName.PROXY_DRIFT).orElseThrow();
    assertThat(drift.state()).isEqualTo(CheckState.FAIL);
    assertThat(drift.why()).startsWith("beyond the margin: json_valid: mean difference");
    assertThat(result.deciding().verdict()).isEqualTo(DecidingSentence.Verdict.SERVING_LAYER);
  }

  @Test
  void failsSeedParity_whenTokensDifferAtTemperatureZero() {
    GateResult result = GateJudge.judge(chat(0, 0.2), SimulatedRun.policy());

    CheckResult parity = result.check(CheckName.SEED_PARITY).orElseThrow();
    assertThat(parity.state()).isEqualTo(CheckState.FAIL);
    Measure ratio = parity.measures().get(0);
    // Production is sampled at .7, so the floor is batch 1 against itself: 0 everywhere.
    assertThat(ratio.of()).endsWith("floor old/single_again against old/single");
    assertThat(ratio.value()).isCloseTo(Math.exp(0.2 * Math.log(41)), within(0.3));
    Measure first =
        parity.measures().stream()
            .filter(m -> m.name().startsWith("first token"))
            .findFirst()
            .orElseThrow();
    assertThat(first.value()).isEqualTo(12);
    assertThat(first.state()).isEqualTo(MeasureState.REPORTED);
    assertThat(parity.measures())
        .anyMatch(m -> m.name().equals("identical outputs") && m.value() > 0.7);
  }

  private static CheckResult load(String policy, SimulatedRun run) {
    run.prompts = 5;
    return GateJudge.judge(run.evidence(), GatePolicy.parse(policy, "test"))
        .check(CheckName.P99_UNDER_LOAD)
        .orElseThrow();
  }

  private static List<Measure> shownFor(CheckResult check, String name) {
    return check.measures().stream().filter(m -> m.name().startsWith(name)).toList();
  }

  /** The control of this run is too small, so the check is withheld; its measures stay. */
  @Test
  void needsEveryLevelEnoughRequestsAndBlocks() {
    CheckResult missing = load("load: {levels: 1 1.2, warm_up: 0s}", new SimulatedRun(3));
    assertThat(shownFor(missing, "p99 ratio"))
        .extracting(Measure::state)
        .containsExactly(MeasureState.PASS, MeasureState.INSUFFICIENT);

    SimulatedRun few = new SimulatedRun(3);
    few.requests = 999;
    few.latencySd = 0.05;
    Measure small = shownFor(load("load: {levels: 1, warm_up: 0s}", few), "p99 ratio").get(0);
    assertThat(small.state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(small.needed()).isEqualTo(1000);
    assertThat(small.high()).isLessThan(1.1);

    SimulatedRun blocks = new SimulatedRun(3);
    blocks.blocks = 4;
    Measure short4 = shownFor(load("load: {levels: 1, warm_up: 0s}", blocks), "p99 ratio").get(0);
    assertThat(short4.state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(short4.test()).endsWith("requests per arm in 4 blocks");
  }

  /** s = .3: 1 % lies above exp(.3 x 2.326) = 2.01 s, hardly anything above 3 s. */
  @Test
  void holdsTheNewSideAgainstTheSlo() {
    Measure kept =
        shownFor(load("load: {levels: 1, warm_up: 0s, slo: 3s}", new SimulatedRun(3)), "share")
            .get(0);
    Measure missed =
        shownFor(load("load: {levels: 1, warm_up: 0s, slo: 1500ms}", new SimulatedRun(3)), "share")
            .get(0);

    assertThat(kept.state()).isEqualTo(MeasureState.PASS);
    assertThat(missed.state()).isEqualTo(MeasureState.FAIL);
    assertThat(missed.value()).isCloseTo(0.088, within(0.02));
  }

  /** A block effect that is common to all requests of a block widens the interval. */
  @Test
  void countsRequestsForLess_whenBlocksDiffer() {
    SimulatedRun together = new SimulatedRun(6);
    SimulatedRun independent = new SimulatedRun(6);
    together.blockSd = 0.1;
    together.requests = 20_000;
    independent.requests = 20_000;
    Measure wide = shownFor(load("load: {levels: 1, warm_up: 0s}", together), "p99 ratio").get(0);
    Measure narrow =
        shownFor(load("load: {levels: 1, warm_up: 0s}", independent), "p99 ratio").get(0);

    assertThat(Math.log(wide.high() / wide.low()))
        .isGreaterThan(2 * Math.log(narrow.high() / narrow.low()));
  }
}
