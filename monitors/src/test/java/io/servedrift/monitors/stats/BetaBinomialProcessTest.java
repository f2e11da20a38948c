package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

class BetaBinomialProcessTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("beta_binomial_eprocess");
    JsonNode in = reference.inputs();
    for (int i = 0; i < reference.expected().size(); i++) {
      reference.check(
          BetaBinomialProcess.logE(
              in.get("k").get(i).longValue(),
              in.get("n").get(i).longValue(),
              in.get("p").get(i).doubleValue(),
              in.get("a").get(i).doubleValue(),
              in.get("b").get(i).doubleValue()),
          reference.expected().get(i));
    }
    RefValues.Case sequence = RefValues.named("beta_binomial_cs");
    JsonNode given = sequence.inputs();
    Interval interval =
        BetaBinomialProcess.interval(
            given.get("k").longValue(),
            given.get("n").longValue(),
            1 - given.get("alpha").doubleValue(),
            given.get("a").doubleValue(),
            given.get("b").doubleValue());
    sequence.check(interval.lower(), sequence.expected().get(0));
    sequence.check(interval.upper(), sequence.expected().get(1));
  }

  @Property(tries = 200)
  void hasExpectationOne_whenTheHypothesisIsTrue(
      @ForAll @IntRange(min = 0, max = 60) int n,
      @ForAll @Scale(4) @DoubleRange(min = 0.01, max = 0.99) double p,
      @ForAll @Scale(4) @DoubleRange(min = 0.1, max = 50) double a,
      @ForAll @Scale(4) @DoubleRange(min = 0.1, max = 50) double b) {
    double[] law = BinomialLaw.of(n, p);
    double expectation = 0;
    for (int k = 0; k <= n; k++) {
      expectation += law[k] * Math.exp(BetaBinomialProcess.logE(k, n, p, a, b));
    }
    assertThat(expectation).isCloseTo(1, within(1e-10));
  }

  @Property(tries = 200)
  void hasTheLevelAtItsEnds_whenTheyAreInside(
      @ForAll @IntRange(min = 1, max = 100_000) int n,
      @ForAll @Scale(6) @DoubleRange(min = 0, max = 1) double share,
      @ForAll @Scale(4) @DoubleRange(min = 0.5, max = 0.999) double level) {
    long k = Math.round(share * n);
    Interval interval = BetaBinomialProcess.interval(k, n, level, 1, 9);
    double bound = -Math.log(1 - level);
    // The limits are doubles: one is inside, its neighbour is not.
    if (k > 0) {
      double beyond = Math.nextDown(interval.lower());
      assertThat(BetaBinomialProcess.logE(k, n, interval.lower(), 1, 9)).isLessThan(bound + 1e-6);
      assertThat(BetaBinomialProcess.logE(k, n, beyond, 1, 9)).isGreaterThan(bound - 1e-6);
    }
    if (k < n) {
      double beyond = Math.nextUp(interval.upper());
      assertThat(BetaBinomialProcess.logE(k, n, interval.upper(), 1, 9)).isLessThan(bound + 1e-6);
      assertThat(beyond == 1 || BetaBinomialProcess.logE(k, n, beyond, 1, 9) > bound - 1e-6)
          .isTrue();
    }
    assertThat(interval.contains((double) k / n)).isTrue();
  }

  /** Looked at after every trial; misses are at most 5 %, judged by their exact binomial law. */
  @Test
  void holdsTheRateAtAllTimes_whenLookedAtAfterEveryTrial() {
    new IntervalCoverageTester(3, 1000)
        .assertCoverageAtLeast(
            0.95,
            random -> {
              SplittableRandom trials = new SplittableRandom(random.nextLong());
              long k = 0;
              for (int n = 1; n <= 1000; n++) {
                k += trials.nextDouble() < 0.03 ? 1 : 0;
                if (BetaBinomialProcess.logE(k, n, 0.03, 0.5, 9.5) >= Math.log(20)) {
                  return false;
                }
              }
              return true;
            });
  }

  @Test
  void saysNothing_whenThereAreNoTrials() {
    assertThat(BetaBinomialProcess.interval(0, 0, 0.95, 1, 1)).isEqualTo(new Interval(0, 1));
    assertThat(BetaBinomialProcess.logE(0, 0, 0.3, 1, 1)).isZero();
    assertThat(BetaBinomialProcess.interval(0, 50, 0.95, 1, 1).lower()).isZero();
    assertThat(BetaBinomialProcess.interval(50, 50, 0.95, 1, 1).upper()).isEqualTo(1);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BetaBinomialProcess.logE(5, 4, 0.5, 1, 1))
        .withMessage("successes=5: must be between 0 and n=4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BetaBinomialProcess.logE(1, 4, 0, 1, 1))
        .withMessage("p=0.0: must lie between 0 and 1, both excluded");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BetaBinomialProcess.logE(1, 4, 0.5, 0, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BetaBinomialProcess.interval(1, 4, 1, 1, 1));
  }
}
