package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.junit.jupiter.api.Test;

class RecentredInfluenceTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("rif");
    JsonNode in = reference.inputs();
    double[] y = RefValues.numbers(in.get("y"));
    for (int i = 0; i < y.length; i++) {
      reference.check(
          RecentredInfluence.of(
              y[i],
              in.get("q").doubleValue(),
              in.get("Q").doubleValue(),
              in.get("f").doubleValue()),
          reference.expected().get(i));
    }
    RefValues.Case error = RefValues.named("quantile_se_lognormal");
    JsonNode given = error.inputs();
    double q = given.get("q").doubleValue();
    LogNormalDistribution law =
        LogNormalDistribution.of(given.get("mu").doubleValue(), given.get("sigma").doubleValue());
    double quantile = law.inverseCumulativeProbability(q);
    error.check(quantile, error.expected().get("Q"));
    error.check(
        RecentredInfluence.standardError(q, given.get("n").doubleValue(), law.density(quantile)),
        error.expected().get("se"));
  }

  @Test
  void hasTheQuantileAsItsMeanAndTheErrorAsItsDeviation_whenTheLawIsUniform() {
    Moments moments = Moments.NONE;
    for (int i = 1; i <= 1000; i++) {
      double value = RecentredInfluence.of(i / 1000.0, 0.9, 0.9, 1);
      moments = moments.merge(new Moments(1, value, 0));
    }
    assertThat(moments.mean()).isCloseTo(0.9, within(1e-12));
    assertThat(Math.sqrt(moments.m2() / 1000 / 500))
        .isCloseTo(RecentredInfluence.standardError(0.9, 500, 1), within(1e-12));
  }

  @Test
  void movesWithTheShareBeyond_whenItIsTheMeanOfTheWindow() {
    double quantile = 4;
    double density = 0.02;
    double beyond = 0.03;
    double mean =
        beyond * RecentredInfluence.of(5, 0.99, quantile, density)
            + (1 - beyond) * RecentredInfluence.of(4, 0.99, quantile, density);
    assertThat(RecentredInfluence.shift(0.01, beyond, density))
        .isCloseTo(mean - quantile, within(1e-12));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecentredInfluence.of(1, 0.9, 1, 0))
        .withMessage("density=0.0: must be finite and above 0.0");
    assertThatIllegalArgumentException().isThrownBy(() -> RecentredInfluence.of(1, 1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> RecentredInfluence.shift(-1, 0, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecentredInfluence.standardError(0.9, 0, 1));
  }
}
