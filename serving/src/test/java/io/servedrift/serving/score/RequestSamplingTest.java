package io.servedrift.serving.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestSamplingTest {

  /**
   * Computed with Python: {@code int.from_bytes(sha256(id).digest()[:8], "big") >> 11) / 2**53}.
   */
  @ParameterizedTest
  @CsvSource({
    "r-1, 0.648353068679876",
    "r-2, 0.12939080693842397",
    "8b1e6e5a-0000-4000-8000-000000000001, 0.6465631266731987",
    "\u00e4, 0.20274110136825585"
  })
  void readsDigestAsFraction(String requestId, double fraction) {
    assertThat(RequestSampling.fraction(requestId)).isEqualTo(fraction);
    assertThat(new RequestSampling(fraction).selects(requestId)).isFalse();
    assertThat(new RequestSampling(Math.nextUp(fraction)).selects(requestId)).isTrue();
  }

  @Test
  void selectsTheShare_ofManyRequests() {
    RequestSampling tenth = new RequestSampling(0.1);

    // 980 of these, by the same Python; a tenth would be 1000, standard deviation 30.
    assertThat(IntStream.range(0, 10_000).filter(i -> tenth.selects("r-" + i)).count())
        .isEqualTo(980);
  }

  @Property
  void selectsAllThatASmallerShareSelects(
      @ForAll String requestId,
      @ForAll @DoubleRange(min = 0, max = 1) double one,
      @ForAll @DoubleRange(min = 0, max = 1) double other) {
    boolean small = new RequestSampling(Math.min(one, other)).selects(requestId);
    boolean large = new RequestSampling(Math.max(one, other)).selects(requestId);

    assertThat(large || !small).isTrue();
    assertThat(new RequestSampling(0).selects(requestId)).isFalse();
    assertThat(new RequestSampling(1).selects(requestId)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
  void refuses_whenShareIsOutside(double share) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RequestSampling(share))
        .withMessage("score share=" + share + ": must be between 0 and 1");
  }
}
