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

class ChangePointTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("change_point");
    ChangePoint change =
        ChangePoint.of(
            RefValues.numbers(reference.inputs().get("z")),
            reference.inputs().get("sigma2").doubleValue());
    for (int t = 1; t <= reference.expected().get("llr").size(); t++) {
      reference.check(change.logRatio(t), reference.expected().get("llr").get(t - 1));
      reference.check(change.posterior(t), reference.expected().get("posterior").get(t - 1));
    }
    assertThat(change.mode()).isEqualTo(reference.expected().get("argmax").intValue());
    assertThat(change.interval(0.9)).isEqualTo(new ChangePoint.Range(6, 6));
  }

  @Property(tries = 300)
  void holdsTheLevelWithNoMoreThanTheTailOutside_whateverTheValues(
      @ForAll @Size(min = 2, max = 40) List<@Scale(3) @DoubleRange(min = -3, max = 3) Double> list,
      @ForAll @Scale(3) @DoubleRange(min = 0.01, max = 100) double variance,
      @ForAll @Scale(3) @DoubleRange(min = 0.5, max = 0.99) double level) {
    ChangePoint change = ChangePoint.of(numbers(list), variance);
    ChangePoint.Range range = change.interval(level);
    double before = 0;
    double after = 0;
    double total = 0;
    for (int t = 1; t < list.size(); t++) {
      total += change.posterior(t);
      before += t < range.from() ? change.posterior(t) : 0;
      after += t > range.to() ? change.posterior(t) : 0;
    }
    assertThat(total).isCloseTo(1, within(1e-12));
    assertThat(range.from()).isBetween(1, range.to());
    assertThat(range.to()).isLessThan(list.size());
    assertThat(before).isLessThanOrEqualTo((1 - level) / 2 + 1e-12);
    assertThat(after).isLessThanOrEqualTo((1 - level) / 2 + 1e-12);
    // The range cannot be shortened on either side.
    assertThat(before + change.posterior(range.from())).isGreaterThan((1 - level) / 2 - 1e-12);
    assertThat(after + change.posterior(range.to())).isGreaterThan((1 - level) / 2 - 1e-12);
  }

  @Property(tries = 200)
  void isWhatRepeatedValuesGive_whenWeightsAreWhole(
      @ForAll @Size(min = 2, max = 12)
          List<@Scale(3) @DoubleRange(min = -3, max = 3) Double> list) {
    double[] values = numbers(list);
    double[] weights = new double[values.length];
    int total = 0;
    for (int i = 0; i < values.length; i++) {
      weights[i] = 1 + i % 3;
      total += 1 + i % 3;
    }
    double[] repeated = new double[total];
    int next = 0;
    for (int i = 0; i < values.length; i++) {
      for (int j = 0; j < weights[i]; j++) {
        repeated[next++] = values[i];
      }
    }
    ChangePoint weighted = ChangePoint.of(values, weights, 0.5);
    ChangePoint single = ChangePoint.of(repeated, 0.5);
    int before = 0;
    for (int t = 1; t < values.length; t++) {
      before += (int) weights[t - 1];
      assertThat(weighted.logRatio(t)).isCloseTo(single.logRatio(before), within(1e-9));
    }
  }

  /** A flat posterior is right when it covers the change as often as it says, over all changes. */
  @Test
  void coversTheChange_whenItMayBeAnywhere() {
    new IntervalCoverageTester(4, 2000)
        .assertCoverageAtLeast(
            0.9,
            random -> {
              int n = 60;
              int t = 10 + random.nextInt(40);
              double[] values = new double[n];
              for (int i = 0; i < n; i++) {
                values[i] = random.nextGaussian() + (i >= t ? 1.5 : 0);
              }
              ChangePoint.Range range = ChangePoint.of(values, 1).interval(0.95);
              return range.from() <= t && t <= range.to();
            });
  }

  private static double[] numbers(List<Double> list) {
    return list.stream().mapToDouble(x -> x).toArray();
  }

  @Test
  void isFlat_whenNothingDiffers() {
    ChangePoint change = ChangePoint.of(new double[] {2, 2, 2, 2, 2}, 1);
    assertThat(change.posterior(3)).isCloseTo(0.25, within(1e-12));
    assertThat(change.mode()).isEqualTo(1);
    assertThat(change.interval(0.9)).isEqualTo(new ChangePoint.Range(1, 4));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    double[] two = {1, 2};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ChangePoint.of(new double[] {1}, 1))
        .withMessage("number of values=1: must be at least 2");
    assertThatIllegalArgumentException().isThrownBy(() -> ChangePoint.of(two, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ChangePoint.of(new double[] {1, Double.NaN}, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ChangePoint.of(two, new double[] {1, 0}, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ChangePoint.of(two, 1).posterior(2))
        .withMessage("t=2: must be between 1 and 1");
    assertThatIllegalArgumentException().isThrownBy(() -> ChangePoint.of(two, 1).interval(1));
  }
}
