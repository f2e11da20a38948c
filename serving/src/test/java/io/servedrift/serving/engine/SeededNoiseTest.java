package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SeededNoiseTest {

  /** The three known answers of philox4x32 with 10 rounds in Random123's kat_vectors. */
  @Test
  void philoxGivesThePublishedAnswers() {
    assertThat(SeededNoise.philox(new int[4], 0, 0))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    assertThat(SeededNoise.philox(new int[] {-1, -1, -1, -1}, -1, -1))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    assertThat(
            SeededNoise.philox(
                new int[] {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0))
        .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }

  /** Block 0 of seed 0 is the first known answer; its first two words by hand. */
  @Test
  void normalValuesAreTheTransformOfTheWords() {
    double u = (0x6627e8d5L + 0.5) / 0x1p32;
    double v = (0xe169c58dL + 0.5) / 0x1p32;
    double radius = Math.sqrt(-2 * Math.log(u));

    float[] values = SeededNoise.normal(0, 4);

    assertThat(values[0]).isCloseTo((float) (radius * Math.cos(2 * Math.PI * v)), within(1e-6f));
    assertThat(values[1]).isCloseTo((float) (radius * Math.sin(2 * Math.PI * v)), within(1e-6f));
  }

  @Property(tries = 100, seed = "3")
  void aLongerDrawBeginsWithTheShorter(@ForAll long seed, @ForAll @IntRange(max = 50) int count) {
    assertThat(Arrays.copyOf(SeededNoise.normal(seed, 64), count))
        .isEqualTo(SeededNoise.normal(seed, count));
  }

  /** A million values: mean and variance within 4 standard errors, as are neighbouring seeds. */
  @Test
  void valuesAreStandardNormal() {
    int n = 1_000_000;
    float[] values = SeededNoise.normal(42, n);
    float[] neighbours = SeededNoise.normal(43, n);
    double sum = 0;
    double squares = 0;
    double products = 0;
    int beyondTwo = 0;
    for (int i = 0; i < n; i++) {
      sum += values[i];
      squares += (double) values[i] * values[i];
      products += (double) values[i] * neighbours[i];
      beyondTwo += Math.abs(values[i]) > 2 ? 1 : 0;
    }
    double error = 4 / Math.sqrt(n);
    assertThat(sum / n).isCloseTo(0, within(error));
    assertThat(squares / n).isCloseTo(1, within(error * Math.sqrt(2)));
    assertThat(products / n).isCloseTo(0, within(error));
    // P(|Z| > 2) = 0.0455003
    assertThat((double) beyondTwo / n)
        .isCloseTo(0.0455003, within(error * Math.sqrt(0.0455003 * (1 - 0.0455003))));
  }
}
