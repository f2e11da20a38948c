package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ProportionIntervalTest {
  static List<RefValues.Case> references() {
    return RefValues.startingWith("clopper_pearson_");
  }

  @ParameterizedTest
  @MethodSource("references")
  void agrees_whenComparedWithReferenceValues(RefValues.Case reference) {
    long k = reference.inputs().get("k").longValue();
    long n = reference.inputs().get("n").longValue();

    Interval exact = ProportionInterval.clopperPearson(k, n, 0.95);
    reference.check(exact.lower(), reference.expected().get("cp").get(0));
    reference.check(exact.upper(), reference.expected().get("cp").get(1));
    Interval wilson = ProportionInterval.wilson(k, n, 0.95);
    reference.check(wilson.lower(), reference.expected().get("wilson").get(0));
    reference.check(wilson.upper(), reference.expected().get("wilson").get(1));
  }

  @Test
  void boundsTheExceedanceOfASampleQuantile_whenComparedWithReferenceValues() {
    // Beta(n-k+1, k) is the upper limit for the n-k values above the order statistic of rank k.
    RefValues.Case reference = RefValues.named("beta_baseline_upper");
    double q = reference.inputs().get("q").doubleValue();
    double level = reference.inputs().get("conf").doubleValue();
    for (int i = 0; i < reference.expected().size(); i++) {
      long n = reference.inputs().get("n").get(i).longValue();
      long above = n - NearestRank.of(q, n);
      reference.check(ProportionInterval.upperLimit(above, n, level), reference.expected().get(i));
    }
  }

  @Property(tries = 300)
  void putsTheTailOnEachLimit_whenTheLimitIsTheTruth(
      @ForAll @LongRange(min = 1, max = 100_000) long n,
      @ForAll @Scale(6) @DoubleRange(min = 0, max = 1) double share,
      @ForAll @Scale(6) @DoubleRange(min = 0.5, max = 0.999) double level) {
    long k = Math.round(share * n);
    Interval interval = ProportionInterval.clopperPearson(k, n, level);
    double tail = (1 - level) / 2;

    assertThat(interval.contains((double) k / n)).isTrue();
    if (k > 0) {
      double atLeastK = 1 - BinomialTails.cumulative(k - 1, n, interval.lower());
      assertThat(atLeastK).isBetween(tail * (1 - 1e-6), tail * (1 + 1e-6));
    }
    if (k < n) {
      double atMostK = BinomialTails.cumulative(k, n, interval.upper());
      assertThat(atMostK).isBetween(tail * (1 - 1e-6), tail * (1 + 1e-6));
    }
    assertThat(ProportionInterval.lowerLimit(k, n, level)).isGreaterThanOrEqualTo(interval.lower());
    assertThat(ProportionInterval.upperLimit(k, n, level)).isLessThanOrEqualTo(interval.upper());
  }

  @ParameterizedTest
  @CsvSource({"300, 0.003", "300, 0.05", "1000, 0.012", "50, 0.5"})
  void coversAtLeastTheLevel_whenSampled(int n, double p) {
    new IntervalCoverageTester(11, 4000)
        .assertCoverageAtLeast(
            0.95,
            random -> {
              long k = random.doubles(n).filter(u -> u < p).count();
              return ProportionInterval.clopperPearson(k, n, 0.95).contains(p);
            });
  }

  @Test
  void coversAsOftenAsItsExactLawSays_whenWilsonIsSampled() {
    int n = 300;
    double p = 0.05;
    double coverage = 0;
    for (long k = 0; k <= n; k++) {
      if (ProportionInterval.wilson(k, n, 0.95).contains(p)) {
        coverage += BinomialTails.cumulative(k, n, p) - BinomialTails.cumulative(k - 1, n, p);
      }
    }
    assertThat(coverage).isBetween(0.93, 0.97);
    new IntervalCoverageTester(12, 4000)
        .assertCoverage(
            coverage,
            random -> {
              long k = random.doubles(n).filter(u -> u < p).count();
              return ProportionInterval.wilson(k, n, 0.95).contains(p);
            });
  }

  @Test
  void endsExactlyAtZeroOrOne_whenNothingOrEverythingSucceeds() {
    assertThat(ProportionInterval.clopperPearson(0, 20, 0.95).lower()).isZero();
    assertThat(ProportionInterval.clopperPearson(20, 20, 0.95).upper()).isEqualTo(1);
    assertThat(ProportionInterval.wilson(0, 20, 0.95).lower()).isZero();
    assertThat(ProportionInterval.wilson(20, 20, 0.95).upper()).isEqualTo(1);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProportionInterval.clopperPearson(5, 4, 0.95))
        .withMessage("successes=5: must be between 0 and n=4");
    assertThatIllegalArgumentException().isThrownBy(() -> ProportionInterval.wilson(-1, 4, 0.95));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProportionInterval.clopperPearson(0, 0, 0.95));
    assertThatIllegalArgumentException().isThrownBy(() -> ProportionInterval.upperLimit(1, 4, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Interval(2, 1))
        .withMessageContaining("2.0..1.0");
  }
}
