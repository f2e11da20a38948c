package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuantileRatioTest {
  /** 1..1000: p99 is 990, the 95 % interval has the ranks 983 and 997 (reference values). */
  @Test
  void usesTheRanksOfTheOrderStatisticInterval() {
    double[] values = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();
    double[] doubled = Arrays.stream(values).map(v -> 2 * v).toArray();

    QuantileRatio ratio = QuantileRatio.of(doubled, values, 0.99, 1, 1);

    double side = (Math.log(997) - Math.log(983)) / (2 * 1.959963984540054);
    assertThat(ratio.ratio()).isCloseTo(2, within(1e-12));
    assertThat(ratio.error()).isCloseTo(side * Math.sqrt(2), within(1e-12));
    assertThat(ratio.interval(0.9).lower())
        .isCloseTo(2 * Math.exp(-1.6448536269514722 * ratio.error()), within(1e-12));
  }

  @Test
  void countsForLess_whenValuesHangTogether() {
    double[] values = IntStream.rangeClosed(1, 4000).asDoubleStream().toArray();

    double independent = QuantileRatio.of(values, values, 0.99, 1, 1).error();
    double together = QuantileRatio.of(values, values, 0.99, 4, 4).error();

    assertThat(together).isCloseTo(2 * independent, within(0.15 * together));
  }

  @Test
  void hasNoInterval_whenASideIsTooSmall() {
    double[] many = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();
    double[] few = IntStream.rangeClosed(1, 367).asDoubleStream().toArray();

    assertThat(QuantileRatio.of(few, many, 0.99, 1, 1).interval(0.9))
        .isEqualTo(new Interval(0, Double.POSITIVE_INFINITY));
    assertThat(QuantileRatio.of(many, many, 0.99, 3, 1).interval(0.9))
        .isEqualTo(new Interval(0, Double.POSITIVE_INFINITY));
  }

  @Test
  void coversAsOftenAsItSays_whenLognormalValuesAreSampled() {
    new IntervalCoverageTester(23, 1500)
        .assertCoverageAtLeast(
            0.89,
            random ->
                QuantileRatio.of(latencies(random, 1.1), latencies(random, 1), 0.99, 1, 1)
                    .interval(0.9)
                    .contains(1.1));
  }

  private static double[] latencies(RandomGenerator random, double factor) {
    return IntStream.range(0, 1200)
        .mapToDouble(i -> factor * Math.exp(0.5 * random.nextGaussian()))
        .toArray();
  }

  @Test
  void refuses_whenAValueIsNotPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QuantileRatio.of(new double[] {0}, new double[] {1}, 0.99, 1, 1))
        .withMessage("smallest value in numerator=0.0: must be finite and above 0.0");
  }
}
