package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EmpiricalBernsteinTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("eb_eprocess");
    double[] x = RefValues.numbers(reference.inputs().get("x"));
    EmpiricalBernstein process =
        EmpiricalBernstein.start(
            reference.inputs().get("m").doubleValue(),
            reference.inputs().get("alpha").doubleValue());
    for (int i = 0; i < x.length; i++) {
      process = process.next(x[i]);
      reference.check(process.logE(), reference.expected().get(i));
    }
  }

  /** All paths of ten values that are each low or high, with mean at most m. */
  @Property(tries = 60)
  void hasExpectationOfAtMostOne_whenTheMeanIsNotAboveTheHypothesis(
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 0.5) double low,
      @ForAll @Scale(3) @DoubleRange(min = 0.5, max = 1) double high,
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 1) double heads) {
    double m = low + heads * (high - low);
    double expectation = 0;
    for (int path = 0; path < 1 << 10; path++) {
      EmpiricalBernstein process = EmpiricalBernstein.start(m, 0.05);
      double probability = 1;
      for (int t = 0; t < 10; t++) {
        boolean up = (path >> t & 1) == 1;
        process = process.next(up ? high : low);
        probability *= up ? heads : 1 - heads;
      }
      expectation += probability * Math.exp(process.logE());
    }
    assertThat(expectation).isLessThanOrEqualTo(1 + 1e-9);
  }

  @Property(tries = 200)
  void isTheSumOverItsValues_whenAPaneIsTakenAtOnce(
      @ForAll @Size(min = 1, max = 40) List<@DoubleRange(min = 0, max = 1) Double> values,
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 1) double m,
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 1) double mean,
      @ForAll @Scale(3) @DoubleRange(min = 0, max = 0.9) double stake) {
    double single = 0;
    double sum = 0;
    double squares = 0;
    for (double x : values) {
      single += EmpiricalBernstein.logFactor(1, x, x * x, m, mean, stake);
      sum += x;
      squares += x * x;
    }
    double pane = EmpiricalBernstein.logFactor(values.size(), sum, squares, m, mean, stake);
    assertThat(pane).isCloseTo(single, within(1e-10));
  }

  @Test
  void grows_whenTheMeanIsAboveTheHypothesis() {
    EmpiricalBernstein process = EmpiricalBernstein.start(0.5, 0.05);
    for (int i = 0; i < 800; i++) {
      process = process.next(i % 2 == 0 ? 0.5 : 0.7);
    }
    assertThat(process.logE()).isGreaterThan(Math.log(20));
    assertThat(process.mean()).isCloseTo(0.6, within(0.001));
    assertThat(process.stake()).isLessThan(0.5);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    EmpiricalBernstein start = EmpiricalBernstein.start(0.5, 0.05);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start.next(1.5))
        .withMessage("x=1.5: must be between 0 and 1");
    assertThatIllegalArgumentException().isThrownBy(() -> EmpiricalBernstein.start(2, 0.05));
    assertThatIllegalArgumentException().isThrownBy(() -> EmpiricalBernstein.start(0.5, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EmpiricalBernstein.logFactor(1, 0.5, 0.25, 0.5, 0.5, 1))
        .withMessage("stake=1.0: must be between 0 and 1, 1 excluded");
  }
}
