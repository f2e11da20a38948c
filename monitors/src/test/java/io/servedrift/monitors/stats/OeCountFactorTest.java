package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class OeCountFactorTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case factor = RefValues.named("oe_poisson_efactor");
    JsonNode in = factor.inputs();
    factor.check(
        OeCountFactor.more(
            in.get("K").longValue(),
            in.get("E").doubleValue(),
            in.get("c").doubleValue(),
            in.get("floor").doubleValue(),
            in.get("up").doubleValue(),
            in.get("phi").doubleValue()),
        factor.expected());

    RefValues.Case up = RefValues.named("oe_poisson_up");
    up.check(
        OeCountFactor.baselineFactor(
            up.inputs().get("phi").doubleValue(), up.inputs().get("sumE").doubleValue()),
        up.expected());
  }

  @Property(tries = 300)
  void isAnEFactor_whenNoMoreHappensThanTolerated(
      @ForAll @Size(min = 1, max = 30)
          List<@Scale(4) @DoubleRange(min = 0, max = 1) Double> probabilities,
      @ForAll @Scale(4) @DoubleRange(min = 1.01, max = 10) double c,
      @ForAll @Scale(4) @DoubleRange(min = 0, max = 1) double floor,
      @ForAll @Scale(4) @DoubleRange(min = 1, max = 2) double up,
      @ForAll @Scale(4) @DoubleRange(min = 1, max = 5) double phi) {
    double[] p = probabilities.stream().mapToDouble(x -> x).toArray();
    double total = Arrays.stream(p).sum();
    double more = 0;
    double fewer = 0;
    double[] law = BinomialLaw.of(p);
    for (int k = 0; k < law.length; k++) {
      double asMany = total / ((1 + floor) * up);
      more += law[k] * Math.exp(OeCountFactor.more(k, asMany, c, floor, up, phi));
      double asFew = total * (1 + floor) * up;
      fewer += law[k] * Math.exp(OeCountFactor.fewer(k, asFew, c, floor, up, phi));
    }
    assertThat(more).isLessThanOrEqualTo(1 + 1e-9);
    assertThat(fewer).isLessThanOrEqualTo(1 + 1e-9);
  }

  @Property(tries = 100)
  void isAnEFactor_whenExceedancesComeInClumps(
      @ForAll @Scale(4) @DoubleRange(min = 0.1, max = 20) double clumps,
      @ForAll @Scale(4) @DoubleRange(min = 1.01, max = 5) double c) {
    // K = 3 N with N ~ Poisson: phi = 3.
    int phi = 3;
    double expectation = 0;
    double probability = Math.exp(-clumps);
    for (int n = 0; n < 300; n++) {
      double log = OeCountFactor.more((long) phi * n, phi * clumps, c, 0, 1, phi);
      expectation += probability * Math.exp(log);
      probability *= clumps / (n + 1);
    }
    // c^(K/phi) = c^N, so the bet is exact here.
    assertThat(expectation).isBetween(1 - 1e-9, 1 + 1e-9);
  }

  @Test
  void gainsWhereTheShiftIs_whenTheRateDoublesOrHalves() {
    assertThat(OeCountFactor.more(200, 100, 1.5, 0.1, 1.05, 1.2)).isGreaterThan(10);
    assertThat(OeCountFactor.fewer(50, 100, 1.5, 0.1, 1.05, 1.2)).isGreaterThan(5);
    assertThat(OeCountFactor.more(100, 100, 1.5, 0.1, 1.05, 1.2)).isNegative();
    assertThat(OeCountFactor.fewer(100, 100, 1.5, 0.1, 1.05, 1.2)).isNegative();
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OeCountFactor.more(1, 1, 1, 0, 1, 1))
        .withMessage("c=1.0: must be finite and above 1.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OeCountFactor.more(-1, 1, 2, 0, 1, 1))
        .withMessage("observed=-1: must be at least 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OeCountFactor.fewer(1, Double.NaN, 2, 0, 1, 1))
        .withMessage("expected=NaN: must be finite and at least 0.0");
    assertThatIllegalArgumentException().isThrownBy(() -> OeCountFactor.more(1, 1, 2, -1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> OeCountFactor.more(1, 1, 2, 0, 0.9, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> OeCountFactor.more(1, 1, 2, 0, 1, 0.9));
    assertThatIllegalArgumentException().isThrownBy(() -> OeCountFactor.baselineFactor(1, 0));
  }
}
