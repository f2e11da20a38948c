package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class NearestRankTest {
  @Test
  void agreesWithNumpyInvertedCdf_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("sample_quantiles");
    double[] values = IntStream.rangeClosed(1, 1000).mapToDouble(i -> i / 10.0).toArray();
    JsonNode right = reference.expected().get("inverted_cdf");
    for (int i = 0; i < right.size(); i++) {
      double q = reference.inputs().get("q").get(i).doubleValue();
      reference.check(values[(int) NearestRank.of(q, values.length) - 1], right.get(i));
      reference.check(ExactQuantile.of(values, (int) Math.round(1000 * q)), right.get(i));
    }
  }

  @Property(tries = 300)
  void agreesWithTheDefinition_whenValuesRepeat(
      @ForAll @Size(min = 1, max = 60) double[] values,
      @ForAll @IntRange(min = 1, max = 1000) int perMille) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    long rank = NearestRank.of(perMille / 1000.0, sorted.length);
    assertThat(sorted[(int) rank - 1]).isEqualTo(ExactQuantile.of(values, perMille));
  }

  @Test
  void readsQuantilesAsDecimals_whenBinaryProductsRoundUp() {
    assertThat(Math.ceil(0.07 * 100)).isEqualTo(8);
    assertThat(NearestRank.of(0.07, 100)).isEqualTo(7);
    assertThat(NearestRank.of(0.99, 250)).isEqualTo(248);
    assertThat(NearestRank.of(0.999, 1000)).isEqualTo(999);
    assertThat(NearestRank.of(0, 5)).isEqualTo(1);
    assertThat(NearestRank.of(1, 5)).isEqualTo(5);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearestRank.of(1.5, 10))
        .withMessage("q=1.5: must be between 0 and 1");
    assertThatIllegalArgumentException().isThrownBy(() -> NearestRank.of(Double.NaN, 10));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NearestRank.of(0.5, 0))
        .withMessage("n=0: must be at least 1");
  }
}
