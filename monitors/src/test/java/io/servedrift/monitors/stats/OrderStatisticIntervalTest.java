package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class OrderStatisticIntervalTest {
  static List<RefValues.Case> references() {
    return RefValues.startingWith("quantile_ci_ranks_");
  }

  @ParameterizedTest
  @MethodSource("references")
  void agrees_whenComparedWithReferenceValues(RefValues.Case reference) {
    JsonNode in = reference.inputs();
    OrderStatisticInterval interval =
        OrderStatisticInterval.of(
            in.get("n").longValue(), in.get("q").doubleValue(), in.get("conf").doubleValue());

    assertThat(interval.lowerRank()).isEqualTo(rank(reference.expected().get("lower_rank")));
    assertThat(interval.upperRank()).isEqualTo(rank(reference.expected().get("upper_rank")));
    if (!reference.expected().get("coverage").isNull()) {
      reference.check(interval.coverage(), reference.expected().get("coverage"));
    }
  }

  private static OptionalLong rank(JsonNode node) {
    return node.isNull() ? OptionalLong.empty() : OptionalLong.of(node.longValue());
  }

  @ParameterizedTest
  @CsvSource({"500,0.5", "500,0.9", "368,0.99", "1000,0.99", "300,0.99"})
  void coversAsOftenAsItSays_whenSampled(int n, double q) {
    OrderStatisticInterval interval = OrderStatisticInterval.of(n, q, 0.95);
    new IntervalCoverageTester(20261130, 4000)
        .assertCoverage(
            interval.coverage(),
            random -> {
              double[] sample = random.doubles(n).sorted().toArray();
              double lower = at(sample, interval.lowerRank(), 0);
              double upper = at(sample, interval.upperRank(), 1);
              return lower <= q && q <= upper;
            });
  }

  @ParameterizedTest
  @CsvSource({"500,0.9", "1000,0.99"})
  void coversAtLeastTheLevel_whenValuesAreWholeSeconds(int n, double q) {
    // Geometric: P(X <= k) = 1 - 0.9^k; its q-quantile is the first k with at least q below or at
    // it.
    double truth = Math.ceil(Math.log(1 - q) / Math.log(0.9));
    OrderStatisticInterval interval = OrderStatisticInterval.of(n, q, 0.95);
    new IntervalCoverageTester(7, 4000)
        .assertCoverageAtLeast(
            0.95,
            random -> {
              double[] sample =
                  random
                      .doubles(n)
                      .map(u -> Math.ceil(Math.log1p(-u) / Math.log(0.9)))
                      .sorted()
                      .toArray();
              return at(sample, interval.lowerRank(), 0) <= truth
                  && truth <= at(sample, interval.upperRank(), Double.POSITIVE_INFINITY);
            });
  }

  private static double at(double[] sorted, OptionalLong rank, double otherwise) {
    return rank.isPresent() ? sorted[(int) rank.getAsLong() - 1] : otherwise;
  }

  @Property(tries = 300)
  void coversAtLeastTheLevel_whenBothRanksExist(
      @ForAll @LongRange(min = 1, max = 5_000_000_000L) long n,
      @ForAll @Scale(6) @DoubleRange(min = 0.001, max = 0.999) double q,
      @ForAll @Scale(6) @DoubleRange(min = 0.5, max = 0.999) double level) {
    OrderStatisticInterval interval = OrderStatisticInterval.of(n, q, level);

    assertThat(interval.coverage()).isGreaterThanOrEqualTo(level - 1e-9);
    long rank = NearestRank.of(q, n);
    assertThat(interval.lowerRank().orElse(0)).isBetween(0L, rank);
    assertThat(interval.upperRank().orElse(n + 1)).isBetween(rank, n + 1);
  }

  @Property(tries = 200)
  void cumulatesAsTheSumOfTheTerms_whenTrialsAreFew(
      @ForAll @LongRange(min = 1, max = 40) long n,
      @ForAll @Scale(6) @DoubleRange(min = 0.01, max = 0.99) double p) {
    double term = Math.pow(1 - p, (double) n);
    double sum = term;
    for (long k = 0; k <= n; k++) {
      assertThat(BinomialTails.cumulative(k, n, p)).isBetween(sum - 1e-12, sum + 1e-12);
      term *= (double) (n - k) / (k + 1) * p / (1 - p);
      sum += term;
    }
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    for (double bad : new double[] {0, 1, -0.1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OrderStatisticInterval.of(10, bad, 0.95))
          .withMessage("q=" + bad + ": must lie between 0 and 1, both excluded");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OrderStatisticInterval.of(10, 0.5, bad));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> OrderStatisticInterval.of(0, 0.5, 0.95));
  }
}
