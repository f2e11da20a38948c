package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What stands beside the checks: errors, latencies, cost, coverage, changes; by hand. */
class GatePartsTest {
  private static Answer answer(
      Arm arm, int index, AnswerStatus status, double at, double seconds, Answer.Served served) {
    long micros = Math.round(at * 1e6);
    return new Answer(
        arm,
        0,
        null,
        new Answer.Prompt(index, null, null, 1),
        status,
        null,
        new Answer.Timing(micros, micros, seconds, seconds, null),
        null,
        Map.of(),
        Map.of(),
        served);
  }

  private static GateCase gate(List<Answer> answers, TrafficProfile traffic) {
    Evidence e = new SimulatedRun(1).evidence();
    return GateCase.of(
        new Evidence(
            e.modality(),
            e.oldBefore(),
            e.newBefore(),
            e.oldAfter(),
            e.newAfter(),
            e.settings(),
            answers,
            List.of(),
            null,
            traffic,
            e.readiness()),
        GatePolicy.defaults());
  }

  @Test
  void countsErrorsAndTimeouts_butNotWhatTheGateGaveUp() {
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      answers.add(ok(i));
    }
    assertThat(ErrorShares.of(gate(answers, null)).newSide().state()).isEqualTo(MeasureState.PASS);

    for (int i = 0; i < 8; i++) {
      AnswerStatus status =
          i < 4 ? AnswerStatus.ERROR : i < 6 ? AnswerStatus.TIMEOUT : AnswerStatus.CANCELLED;
      answers.add(answer(Arm.fresh(Regime.SINGLE), i, status, 0, 1, Answer.Served.unknown()));
    }
    ErrorShares some = ErrorShares.of(gate(answers, null));
    assertThat(some.newSide().value()).isCloseTo(6 / 306.0, within(1e-12));
    assertThat(some.newSide().state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(some.oldSide().state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(some.oldSide().n()).isZero();
  }

  private static Answer ok(int i) {
    return answer(Arm.fresh(Regime.SINGLE), i, AnswerStatus.OK, i, 1, Answer.Served.unknown());
  }

  @Test
  void dropsTheFirstPartOfABlock_andTakesNoAnswerForTheLongest() {
    List<Answer> answers =
        List.of(
            answer(Arm.old(Regime.OPEN_LOOP), 0, AnswerStatus.OK, 0, 9, Answer.Served.unknown()),
            answer(Arm.old(Regime.OPEN_LOOP), 1, AnswerStatus.OK, 2, 3, Answer.Served.unknown()),
            answer(
                Arm.old(Regime.OPEN_LOOP), 2, AnswerStatus.TIMEOUT, 3, 30, Answer.Served.unknown()),
            answer(
                Arm.old(Regime.OPEN_LOOP), 3, AnswerStatus.ERROR, 4, 1, Answer.Served.unknown()));

    assertThat(Latencies.of(answers, null, 2).sorted())
        .containsExactly(3, Latencies.NO_ANSWER, Latencies.NO_ANSWER);
    assertThat(Latencies.of(answers, null, 2).answered()).containsExactly(3);
  }

  /** Ten blocks of 100: all 10 latencies above the p99 in one block, or one in each. */
  @Test
  void countsBlocksThatHangTogether() {
    assertThat(blocks(true).phi()).isCloseTo(10, within(1e-9));
    assertThat(blocks(false).phi()).isEqualTo(1);
  }

  private static Latencies blocks(boolean together) {
    java.util.TreeMap<Integer, List<Double>> blocks = new java.util.TreeMap<>();
    for (int b = 0; b < 10; b++) {
      List<Double> block = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        boolean slow = together ? b == 3 && i < 10 : i == 0;
        block.add(slow ? 5.0 : 1.0);
      }
      blocks.put(b, block);
    }
    return new Latencies(blocks);
  }

  @Test
  void givesCostAndTailOfEveryArm() {
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(
          answer(
              Arm.fresh(Regime.SINGLE),
              i,
              AnswerStatus.OK,
              2.0 * i,
              2,
              new Answer.Served(1.0, null, 0.5, 1)));
      answers.add(
          answer(Arm.old(Regime.SINGLE), i, AnswerStatus.OK, 2.0 * i, 2, Answer.Served.unknown()));
    }
    ArmTable table = new ArmTable(gate(answers, null));

    assertThat(table.costs())
        .containsExactly(
            new ArmCost(Arm.old(Regime.SINGLE), null, 10, 0.5, 2.0, "devices x time"),
            new ArmCost(Arm.fresh(Regime.SINGLE), null, 10, 0.5, 0.5, "told by the endpoint"));
    ArmTail tail = table.tails().get(0);
    assertThat(tail.p50()).isEqualTo(2);
    assertThat(tail.p99()).isNull();
    assertThat(tail.n()).isEqualTo(10);
  }

  @Test
  void saysWhichShareOfLiveTrafficWasExercised() {
    RegimeCell large = RegimeCell.of(9.0, true, 12);
    RegimeCell alone = RegimeCell.of(1.0, false, 1);
    assertThat(large).isEqualTo(new RegimeCell("8-15", "hit", "8-15"));
    assertThat(RegimeCell.of(Double.NaN, null, 0))
        .isEqualTo(new RegimeCell("unknown", "unknown", "unknown"));
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(
          answer(
              Arm.fresh(Regime.PRODUCTION),
              i,
              AnswerStatus.OK,
              i,
              1,
              new Answer.Served(8.0, true, null, 15)));
    }
    answers.add(
        answer(
            Arm.fresh(Regime.SINGLE),
            0,
            AnswerStatus.OK,
            0,
            1,
            new Answer.Served(1.0, false, null, 1)));

    RegimeCoverage coverage =
        Coverage.of(
            gate(
                answers,
                new TrafficProfile("file", Map.of(large, 300L, alone, 100L), Map.of(), 0.2)));

    assertThat(coverage.share()).isEqualTo(0.75);
    assertThat(coverage.cells())
        .containsExactly(
            new RegimeCoverage.Cell(large, 300, 10, true),
            new RegimeCoverage.Cell(alone, 100, 1, false));
  }

  @Test
  void plansOneAxisAtATime_whenSeveralChanged() throws Exception {
    EndpointFacts older =
        facts(Side.OLD, "{'runtime':{'version':'1'},'batching':{'max_batch_size':1}}");
    EndpointFacts newer =
        facts(Side.NEW, "{'runtime':{'version':'2'},'batching':{'max_batch_size':8}}");

    ChangedAxes changed = Changes.of(older, newer);

    assertThat(changed.axes()).containsExactly("batching", "runtime");
    assertThat(changed.weights()).isEqualTo(ChangedAxes.Weights.UNKNOWN);
    assertThat(changed.plan())
        .containsExactly(
            "Step 1, batching only: batching.max_batch_size: 1 -> 8",
            "Step 2, runtime only: runtime.version: \"1\" -> \"2\"");
    assertThat(Changes.of(older, older).plan()).isEmpty();
  }

  private static EndpointFacts facts(Side side, String config) throws Exception {
    var node = new ObjectMapper().readTree(config.replace('\'', '"'));
    return new EndpointFacts(
        side,
        "http://127.0.0.1:1",
        ConfigFingerprint.ofConfig(node).id(),
        node,
        null,
        null,
        new EndpointProfile(Modality.IMAGE, true, true, true, true, true, true, true, 1),
        List.of());
  }
}
