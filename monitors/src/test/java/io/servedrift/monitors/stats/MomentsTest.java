package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class MomentsTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("moment_merge");
    Moments merged = of(reference.inputs().get("a")).merge(of(reference.inputs().get("b")));
    Moments right = of(reference.expected());
    assertThat(merged.n()).isEqualTo(right.n());
    reference.check(merged.mean(), reference.expected().get("mean"));
    reference.check(merged.m2(), reference.expected().get("m2"));
  }

  private static Moments of(JsonNode node) {
    return new Moments(
        node.get("n").longValue(), node.get("mean").doubleValue(), node.get("m2").doubleValue());
  }

  @Property(tries = 300)
  void isThatOfAllValues_whenPartsAreMerged(
      @ForAll List<@DoubleRange(min = -1e3, max = 1e3) Double> values) {
    Moments merged = Moments.NONE;
    double sum = 0;
    for (double x : values) {
      merged = merged.merge(new Moments(1, x, 0));
      sum += x;
    }
    double mean = values.isEmpty() ? 0 : sum / values.size();
    double squares = values.stream().mapToDouble(x -> (x - mean) * (x - mean)).sum();
    assertThat(merged.n()).isEqualTo(values.size());
    assertThat(merged.mean()).isCloseTo(mean, within(1e-9));
    assertThat(merged.m2()).isCloseTo(squares, within(1e-9 * Math.max(1, squares)));
  }

  @Test
  void keepsTheVariance_whenValuesAreFarFromZero() {
    Moments moments = Moments.NONE;
    for (int i = 0; i < 1000; i++) {
      moments = moments.merge(new Moments(1, 1e9 + i % 2, 0));
    }
    assertThat(moments.variance()).isCloseTo(250 / 999.0, within(1e-6));
    assertThat(Moments.NONE.merge(moments)).isEqualTo(moments.merge(Moments.NONE));
    assertThat(new Moments(1, 3, 0).variance()).isNaN();
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Moments(-1, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Moments(1, Double.NaN, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Moments(1, 0, -1))
        .withMessage("m2=-1.0: must be finite and at least 0.0");
  }
}
