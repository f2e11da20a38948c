package io.servedrift.monitors.stats;

import static io.servedrift.monitors.stats.QuantileReadiness.INSUFFICIENT;
import static io.servedrift.monitors.stats.QuantileReadiness.LOWER_BOUND;
import static io.servedrift.monitors.stats.QuantileReadiness.SUFFICIENT;
import static io.servedrift.monitors.stats.QuantileReadiness.WIDE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.function.DoubleUnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link MinimumSampleSize} and {@link QuantileReadiness}. */
class SampleSizeTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    check("min_n_two_sided", q -> MinimumSampleSize.twoSided(q, 0.95));
    check("min_n_one_sided", q -> MinimumSampleSize.oneSided(q, 0.95));
  }

  private static void check(String id, DoubleUnaryOperator size) {
    RefValues.Case reference = RefValues.named(id);
    assertThat(reference.inputs().get("alpha").doubleValue()).isEqualTo(0.05);
    for (int i = 0; i < reference.expected().size(); i++) {
      double q = reference.inputs().get("q").get(i).doubleValue();
      reference.check(size.applyAsDouble(q), reference.expected().get(i));
    }
  }

  @Property(tries = 300)
  void isTheFirstSizeWithTwoLimits_whenComparedWithRanks(
      @ForAll @Scale(6) @DoubleRange(min = 0.01, max = 0.99) double q,
      @ForAll @Scale(6) @DoubleRange(min = 0.5, max = 0.99) double level) {
    long n = MinimumSampleSize.twoSided(q, level);
    OrderStatisticInterval enough = OrderStatisticInterval.of(n, q, level);
    assertThat(enough.lowerRank()).isPresent();
    assertThat(enough.upperRank()).isPresent();
    if (n > 1) {
      OrderStatisticInterval few = OrderStatisticInterval.of(n - 1, q, level);
      assertThat(few.lowerRank().isPresent() && few.upperRank().isPresent()).isFalse();
    }
    assertThat(MinimumSampleSize.oneSided(q, level)).isLessThanOrEqualTo(n);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.99, INSUFFICIENT",
    "298, 0.99, INSUFFICIENT",
    "299, 0.99, LOWER_BOUND",
    "367, 0.99, LOWER_BOUND",
    "368, 0.99, WIDE",
    "999, 0.99, WIDE",
    "1000, 0.99, SUFFICIENT",
    "2994, 0.999, INSUFFICIENT",
    "3687, 0.999, LOWER_BOUND",
    "3688, 0.999, WIDE",
    "9999, 0.999, WIDE",
    "10000, 0.999, SUFFICIENT",
    "72, 0.95, WIDE",
    "6, 0.5, WIDE",
    "20, 0.5, SUFFICIENT",
  })
  void saysHowMuchAQuantileMayBeBelieved_whenGivenN(long n, double q, QuantileReadiness right) {
    assertThat(QuantileReadiness.of(n, q, 0.95)).isEqualTo(right);
  }

  @Test
  void asksForMore_whenTheLevelIsHigher() {
    assertThat(QuantileReadiness.of(400, 0.99, 0.95)).isEqualTo(WIDE);
    assertThat(QuantileReadiness.of(400, 0.99, 0.99)).isEqualTo(INSUFFICIENT);
    assertThat(QuantileReadiness.of(500, 0.99, 0.99)).isEqualTo(LOWER_BOUND);
    assertThat(QuantileReadiness.of(1000, 0.99, 0.99)).isEqualTo(SUFFICIENT);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException().isThrownBy(() -> QuantileReadiness.of(-1, 0.99, 0.95));
    assertThatIllegalArgumentException().isThrownBy(() -> MinimumSampleSize.oneSided(1, 0.95));
    assertThatIllegalArgumentException().isThrownBy(() -> MinimumSampleSize.twoSided(0.9, 1));
  }
}
