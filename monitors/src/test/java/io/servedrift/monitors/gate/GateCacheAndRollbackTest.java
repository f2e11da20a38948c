package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What must not pass though every number is good. */
class GateCacheAndRollbackTest {
  private static Evidence with(Evidence e, List<Answer> answers, RollbackEvidence rollback) {
    return new Evidence(
        e.modality(),
        e.oldBefore(),
        e.newBefore(),
        e.oldAfter(),
        e.newAfter(),
        e.settings(),
        answers,
        e.distances(),
        rollback,
        e.traffic(),
        e.readiness());
  }

  private static CheckResult judged(Evidence evidence, CheckName name) {
    return GateJudge.judge(evidence, SimulatedRun.policy()).check(name).orElseThrow();
  }

  @Test
  void doesNotPassTheCache_whenItWasHitWhereItWasToBeBypassed() {
    Evidence evidence = new SimulatedRun(5).evidence();
    List<Answer> hit =
        evidence.answers().stream()
            .map(
                a ->
                    a.arm().regime() == Regime.RECOMPUTE
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
                            new Answer.Served(1.0, true, null, 1))
                        : a)
            .toList();

    assertThat(judged(evidence, CheckName.CACHE_PARITY).state()).isEqualTo(CheckState.PASS);
    CheckResult cache = judged(with(evidence, hit, evidence.rollback()), CheckName.CACHE_PARITY);

    assertThat(cache.state()).isEqualTo(CheckState.INSUFFICIENT);
    assertThat(cache.why()).contains("which they were asked not to");
  }

  @Test
  void failsTheRollback_whenTheWayBackWentWrong_thoughTheOldSideServesInTheEnd() {
    Evidence evidence = new SimulatedRun(5).evidence();
    RollbackEvidence done = evidence.rollback();
    assertThat(done).isNotNull();
    String problem = "the flip to old ended with exit code 1";
    RollbackEvidence troubled =
        new RollbackEvidence(
            true, "flip command", done.before(), done.after(), 8, 0, List.of(problem));

    assertThat(judged(evidence, CheckName.ROLLBACK).state()).isEqualTo(CheckState.PASS);
    CheckResult rollback = judged(with(evidence, evidence.answers(), troubled), CheckName.ROLLBACK);

    assertThat(rollback.state()).isEqualTo(CheckState.FAIL);
    assertThat(rollback.why()).contains(problem);
  }
}
