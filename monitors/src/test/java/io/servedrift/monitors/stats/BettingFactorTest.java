package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

class BettingFactorTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("bernoulli_bet");
    JsonNode in = reference.inputs();
    reference.check(
        BettingFactor.logFactor(
            in.get("k").longValue(),
            in.get("n").longValue(),
            in.get("p0").doubleValue(),
            in.get("lam").doubleValue()),
        reference.expected());
  }

  @Property(tries = 300)
  void hasExpectationOne_whenTheHypothesisIsTrue(
      @ForAll @IntRange(min = 0, max = 30) int n,
      @ForAll @Scale(4) @DoubleRange(min = 0.01, max = 0.99) double p0,
      @ForAll @Scale(4) @DoubleRange(min = -0.99, max = 0.99) double part) {
    double lambda = part >= 0 ? part / p0 : part / (1 - p0);
    double[] law = BinomialLaw.of(n, p0);
    double expectation = 0;
    for (int k = 0; k <= n; k++) {
      expectation += law[k] * Math.exp(BettingFactor.logFactor(k, n, p0, lambda));
    }
    assertThat(expectation).isCloseTo(1, within(1e-10));
  }

  @Test
  void losesAll_whenTheWholeStakeIsLost() {
    assertThat(BettingFactor.logFactor(3, 4, 0.5, 2)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(BettingFactor.logFactor(4, 4, 0.5, 2)).isCloseTo(4 * Math.log(2), within(1e-12));
    assertThat(BettingFactor.logFactor(0, 0, 0.5, 2)).isZero();
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BettingFactor.logFactor(1, 2, 0.5, 2.1))
        .withMessage("lambda=2.1: must be between -1/(1 - p0) and 1/p0, p0=0.5");
    assertThatIllegalArgumentException().isThrownBy(() -> BettingFactor.logFactor(1, 2, 0.5, -2.1));
    assertThatIllegalArgumentException().isThrownBy(() -> BettingFactor.logFactor(3, 2, 0.5, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> BettingFactor.logFactor(1, 2, 1, 1));
  }
}
