package io.servedrift.monitors.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.stats.RefValues;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScoreTestTest {
  private static final ScoreRule BOTH =
      new ScoreRule(false, ScoreRule.Worse.BOTH, null, 0.1, null, 0.2, null);
  private static final ScoreRule RATIO =
      new ScoreRule(true, ScoreRule.Worse.DOWN, 0.005, 0.1, 0.01, 0.2, null);

  private static ScoreTest test(long minimum) {
    return new ScoreTest(GatePolicy.parse("minimum_pairs: " + minimum, "test"));
  }

  private static double[] differences(String id) {
    RefValues.Case reference = RefValues.named(id);
    double[] x = RefValues.numbers(reference.inputs().get("x"));
    double[] y = RefValues.numbers(reference.inputs().get("y"));
    return IntStream.range(0, Math.min(x.length, y.length)).mapToDouble(i -> x[i] - y[i]).toArray();
  }

  @Test
  void hasTheIntervalOfThePairedT() {
    RefValues.Case reference = RefValues.named("paired_t");

    Measure m = test(5).judge("clip", "x", differences("paired_t"), 0.1, BOTH);

    reference.check(m.low(), reference.expected().get("ci90").get(0));
    reference.check(m.high(), reference.expected().get("ci90").get(1));
  }

  /** Two one-sided tests at 5 % are the 90 % interval inside the margins: both tests reject. */
  @Test
  void isTheTwoOneSidedTests() {
    RefValues.Case reference = RefValues.named("tost_paired");
    double[] differences = differences("tost_paired");
    ScoreRule down = new ScoreRule(false, ScoreRule.Worse.DOWN, null, 0.1, null, 0.2, null);

    assertThat(test(5).judge("clip", "x", differences, 0.005, BOTH).state())
        .isEqualTo(MeasureState.PASS);
    // p of "not below -0.005" read from the other side: 1 - p_low.
    reference.check(
        1 - test(5).pBeyond(differences, 0.005, down), reference.expected().get("p_low"));
  }

  @Test
  void judgesALossByItsMargin() {
    double[] level = values(200, 0, 0.01);
    double[] lost = values(200, -0.02, 0.01);

    assertThat(test(100).judge("clip", "x", level, 0.003, BOTH).state())
        .isEqualTo(MeasureState.PASS);
    assertThat(test(100).judge("clip", "x", lost, 0.003, BOTH).state())
        .isEqualTo(MeasureState.FAIL);
    assertThat(test(100).judge("clip", "x", values(200, 0.02, 0.01), 0.003, BOTH).state())
        .isEqualTo(MeasureState.FAIL);
    assertThat(test(201).judge("clip", "x", lost, 0.003, BOTH).state())
        .isEqualTo(MeasureState.INSUFFICIENT);
  }

  /** sd .1, margin .003: (1.645 + 1.645)^2 (.1 / .003)^2 = 12024.7, with the divisor n - 1. */
  @Test
  void saysHowManyPairsItNeeds() {
    Measure m = test(100).judge("clip", "x", values(200, 0, 0.1), 0.003, BOTH);

    assertThat(m.state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(m.needed()).isCloseTo(12085L, within(2L));
  }

  /** 500 answers, none differs: upper limit of a loss 1.645^2 / (500 + 1.645^2) = .0054. */
  @Test
  void needsManyAnswersForAShare_evenWhenNoneDiffers() {
    Measure few = test(100).judge("json_valid", "x", new double[500], 0.005, RATIO);
    Measure enough = test(100).judge("json_valid", "x", new double[600], 0.005, RATIO);

    assertThat(few.low()).isCloseTo(-0.005382, within(1e-6));
    assertThat(few.state()).isEqualTo(MeasureState.INSUFFICIENT);
    assertThat(few.needed()).isGreaterThan(500);
    assertThat(enough.state()).isEqualTo(MeasureState.PASS);
  }

  @Test
  void failsAShare_whenTheLossIsClear() {
    double[] differences = new double[300];
    Arrays.fill(differences, 0, 30, -1);

    Measure m = test(100).judge("json_valid", "x", differences, 0.005, RATIO);

    assertThat(m.value()).isEqualTo(-0.1);
    assertThat(m.state()).isEqualTo(MeasureState.FAIL);
    assertThat(m.test()).contains("Tango");
  }

  /** Alternately above and below the mean by sd. */
  private static double[] values(int n, double mean, double sd) {
    return IntStream.range(0, n).mapToDouble(i -> mean + (i % 2 == 0 ? sd : -sd)).toArray();
  }
}
