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

class ShareFactorTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("share_efactor");
    JsonNode in = reference.inputs();
    double p0 =
        ShareFactor.tolerated(
            in.get("EA").doubleValue(),
            in.get("EB").doubleValue(),
            in.get("floor").doubleValue(),
            in.get("up").doubleValue());
    reference.check(
        ShareFactor.logFactor(
            in.get("KA").longValue(), in.get("KB").longValue(), p0, in.get("c").doubleValue(), 1),
        reference.expected());
  }

  @Property(tries = 300)
  void isAnEFactor_whenTheShareIsTolerated(
      @ForAll @IntRange(min = 0, max = 40) int n,
      @ForAll @Scale(4) @DoubleRange(min = 0.01, max = 0.99) double tolerated,
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 1) double part,
      @ForAll @Scale(4) @DoubleRange(min = 1.01, max = 10) double c,
      @ForAll @Scale(4) @DoubleRange(min = 1, max = 5) double phi) {
    double[] law = BinomialLaw.of(n, tolerated * part);
    double[] edge = BinomialLaw.of(n, tolerated);
    double expectation = 0;
    double atTheEdge = 0;
    for (int k = 0; k <= n; k++) {
      double gain = Math.exp(ShareFactor.logFactor(k, n - k, tolerated, c, phi));
      expectation += law[k] * gain;
      atTheEdge += edge[k] * Math.pow(gain, phi);
    }
    assertThat(expectation).isLessThanOrEqualTo(1 + 1e-9);
    assertThat(atTheEdge).isCloseTo(1, within(1e-9));
  }

  @Test
  void doesNotSeeABurst_whenBothStrataHaveTwiceAsMany() {
    double p0 = ShareFactor.tolerated(20, 80, 0.2, 1.1);
    assertThat(ShareFactor.logFactor(40, 160, p0, 2, 1)).isNegative();
    assertThat(ShareFactor.logFactor(100, 100, p0, 2, 1)).isGreaterThan(10);
    assertThat(ShareFactor.logFactor(0, 0, p0, 2, 1)).isZero();
  }

  @Test
  void toleratesEverything_whenNothingIsExpectedElsewhere() {
    assertThat(ShareFactor.tolerated(3, 0, 0, 1)).isEqualTo(1);
    assertThat(ShareFactor.logFactor(9, 0, 1, 3, 1)).isCloseTo(0, within(1e-12));
    assertThat(ShareFactor.baselineFactor(100, 25)).isCloseTo(1.36783318, within(1e-8));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShareFactor.tolerated(0, 0, 0, 1))
        .withMessage("expectedA + expectedB=0.0: must be finite and above 0.0");
    assertThatIllegalArgumentException().isThrownBy(() -> ShareFactor.tolerated(1, -1, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> ShareFactor.logFactor(1, 1, 1.1, 2, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> ShareFactor.logFactor(1, 1, 0.5, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> ShareFactor.logFactor(1, 1, 0.5, 2, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> ShareFactor.baselineFactor(0, 1));
  }
}
