package io.servedrift.monitors.gate.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.AnswerStatus;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.CheckName;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Regime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConditionTableTest {

  private static Answer answer(Arm arm, int prompt, AnswerStatus status, double score) {
    return new Answer(
        arm,
        0,
        null,
        new Answer.Prompt(prompt, null, null, prompt),
        status,
        null,
        new Answer.Timing(0, 0, .5, .5, null),
        null,
        Map.of("clip", score),
        Map.of("clip", "s@1"),
        Answer.Served.unknown());
  }

  /**
   * Differences -0.1, -0.2, -0.3: mean -0.2, sd 0.1, so the interval is t(2, 0.975) = 4.3027 times
   * 0.1 / sqrt(3) = 0.2484 to both sides.
   */
  @Test
  void pairsByPrompt_andGivesTheIntervalOfTheDifference() {
    List<Answer> answers = new ArrayList<>();
    for (int prompt = 0; prompt < 3; prompt++) {
      double clean = .5 + .1 * prompt;
      answers.add(answer(Arm.old(Regime.SINGLE), prompt, AnswerStatus.OK, clean));
      answers.add(answer(Arm.fresh(Regime.RECOMPUTE), prompt, AnswerStatus.OK, clean));
      double loss = .1 * (prompt + 1);
      answers.add(answer(Arm.fresh(Regime.REUSE), prompt, AnswerStatus.OK, clean - loss));
    }
    answers.add(answer(Arm.fresh(Regime.SINGLE), 0, AnswerStatus.OK, .5));
    // An answer without a partner and one that failed are no pairs.
    answers.add(answer(Arm.fresh(Regime.REUSE), 9, AnswerStatus.OK, .4));
    answers.add(answer(Arm.fresh(Regime.RECOMPUTE), 9, AnswerStatus.ERROR, .4));

    List<String> lines =
        ConditionTable.lines(SampleResults.evidence(Modality.IMAGE, answers), "clip");

    assertThat(lines).hasSize(6);
    assertThat(lines.get(1))
        .startsWith("old, alone, cache off")
        .contains("  3  0.6000 [0.3516, 0.8484]");
    assertThat(lines.get(3)).startsWith("new, alone, cache off").matches(".*  1 +insufficient");
    assertThat(lines.get(5))
        .startsWith("new, cache used against recomputed  4  ")
        .endsWith("  3  -0.2000 [-0.4484, +0.0484]");
  }

  @Test
  void showsTheNumberThatDecidesEachCheck() {
    assertThat(
            ConditionTable.checks(
                SampleResults.failed(),
                EnumSet.of(CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY)))
        .containsExactly(
            "batch_composition  fail            clip: mean difference -0.0215 [-0.0243, -0.0187],"
                + " margin -0.003, n 320",
            "cache_parity       not applicable  the old side has no cache");
  }
}
