package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

class GaussianFactorTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("gaussian_efactor");
    JsonNode in = reference.inputs();
    reference.check(
        GaussianFactor.logFactor(
            in.get("Z").doubleValue(),
            in.get("d_floor").doubleValue(),
            in.get("d_ref").doubleValue(),
            in.get("g").doubleValue(),
            in.get("kappa").doubleValue()),
        reference.expected());
  }

  @Property(tries = 300)
  void isAnEFactor_whenTheMeanIsTolerated(
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 2) double floor,
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 2) double reference,
      @ForAll @Scale(4) @DoubleRange(min = 0.01, max = 3) double g,
      @ForAll @Scale(4) @DoubleRange(min = 0.1, max = 10) double kappa) {
    double sd = Math.sqrt(kappa);
    double mean = floor + reference;
    // A coin of the same variance is sub-Gaussian, and exact.
    double up = Math.exp(GaussianFactor.logFactor(mean + sd, floor, reference, g, kappa));
    double down = Math.exp(GaussianFactor.logFactor(mean - sd, floor, reference, g, kappa));
    assertThat((up + down) / 2).isLessThanOrEqualTo(1 + 1e-12);
    // The normal law by the trapezoidal rule, which is exact here to rounding.
    double step = 0.01;
    double expectation = 0;
    for (double x = -14; x <= 14; x += step) {
      double density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
      double log = GaussianFactor.logFactor(mean + sd * x, floor, reference, g, kappa);
      expectation += step * density * Math.exp(log);
    }
    assertThat(expectation).isCloseTo(1, within(1e-9));
  }

  @Test
  void saysHowFarTheBaselineMayBeOff_whenItHasSoManyUpdates() {
    assertThat(GaussianFactor.baselineMargin(2.25, 100)).isCloseTo(0.24675, within(1e-12));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GaussianFactor.logFactor(Double.NaN, 0, 0, 1, 1))
        .withMessage("z=NaN: must be finite");
    assertThatIllegalArgumentException().isThrownBy(() -> GaussianFactor.logFactor(0, -1, 0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> GaussianFactor.logFactor(0, 0, -1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> GaussianFactor.logFactor(0, 0, 0, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> GaussianFactor.logFactor(0, 0, 0, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> GaussianFactor.baselineMargin(1, 0));
  }
}
