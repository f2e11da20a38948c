package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WilcoxonSignedRankTest {
  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("wilcoxon_signed");
    double[] x = RefValues.numbers(reference.inputs().get("x"));
    double[] y = RefValues.numbers(reference.inputs().get("y"));
    double[] differences = new double[Math.min(x.length, y.length)];
    for (int i = 0; i < differences.length; i++) {
      differences[i] = x[i] - y[i];
    }

    reference.check(WilcoxonSignedRank.of(differences).twoSided(), reference.expected().get("p"));
  }

  /** Ranks of the sizes 1, 2.5, 2.5, 4: above 0 stand 2.5 and 4; variance 4*5*9/24 - 6/48. */
  @Test
  void correctsForTies_andLeavesZerosOut() {
    assertThat(WilcoxonSignedRank.of(new double[] {0, -1, 2, -2, 3, 0}).z())
        .isCloseTo((6.5 - 5) / Math.sqrt(7.5 - 0.125), within(1e-12));
    assertThat(WilcoxonSignedRank.of(new double[] {0, 0}).z()).isZero();
  }
}
