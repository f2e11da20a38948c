package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LongRunVarianceTest {
  private static final double GAP = Double.NaN;

  @Test
  void agrees_whenComparedWithReferenceValues() {
    RefValues.Case reference = RefValues.named("long_run_variance");
    double[] z = RefValues.numbers(reference.inputs().get("Z"));
    for (int i = 0; i < reference.expected().size(); i++) {
      int horizon = reference.inputs().get("H").get(i).intValue();
      reference.check(LongRunVariance.ofMeans(z, horizon), reference.expected().get(i));
    }
  }

  @Test
  void countsOnlyUpdates_whenSomeAreMissing() {
    double[] z = {2, GAP, GAP, GAP, 1, 3, 5};
    // Windows (2, -), (-, -), (1, 3): (4/1 + 16/2) / 2; the rest, 5, is left out.
    assertThat(LongRunVariance.ofMeans(z, 2)).isEqualTo(6);
    assertThat(LongRunVariance.ofMeans(new double[] {GAP, GAP}, 1)).isNaN();
    assertThat(LongRunVariance.ofMeans(z, 8)).isNaN();
  }

  @Test
  void takesTheWorstHorizonWithTenWindows_whenThereAreSeveral() {
    double[] z = new double[100];
    for (int i = 0; i < z.length; i++) {
      z[i] = i / 10 % 2 == 0 ? 1 : -1;
    }
    assertThat(LongRunVariance.ofMeans(z, 10)).isEqualTo(10);
    assertThat(LongRunVariance.inflationOfMeans(z, 1)).isEqualTo(1);
    assertThat(LongRunVariance.inflationOfMeans(z, 1, 5, 10)).isEqualTo(1 + 1.5 * 9);
    // Eleven entries make nine windows: too few to say anything.
    assertThat(LongRunVariance.inflationOfMeans(z, 11)).isEqualTo(1);
    assertThat(LongRunVariance.inflationOfMeans(new double[0], 1)).isEqualTo(1);
  }

  @Test
  void isTheFactorOfTheClumps_whenCountsComeInClumps() {
    SplittableRandom random = new SplittableRandom(9);
    int panes = 20_000;
    double[] single = new double[panes];
    double[] clumped = new double[panes];
    double[] expected = new double[panes];
    double[] expectedOfClumps = new double[panes];
    for (int i = 0; i < panes; i++) {
      for (int trial = 0; trial < 100; trial++) {
        single[i] += random.nextDouble() < 0.02 ? 1 : 0;
      }
      clumped[i] = 3 * single[i];
      expected[i] = 2;
      expectedOfClumps[i] = 6;
    }
    // Mean of squared binomial counts, sd 0.0098 of their mean here: five of them.
    assertThat(LongRunVariance.ofCounts(single, expected, 1)).isCloseTo(0.98, within(0.06));
    assertThat(LongRunVariance.ofCounts(clumped, expectedOfClumps, 1))
        .isCloseTo(3 * LongRunVariance.ofCounts(single, expected, 1), within(1e-9));
    assertThat(LongRunVariance.inflationOfCounts(clumped, expectedOfClumps, 1, 15))
        .isGreaterThan(3.5);
  }

  @Test
  void isNeverBelowOne_whenCountsVaryLessThanByChance() {
    double[] same = new double[50];
    assertThat(LongRunVariance.inflationOfCounts(same, same, 1, 5)).isEqualTo(1);
    assertThat(LongRunVariance.ofCounts(same, same, 1)).isNaN();
    double[] one = {7};
    assertThat(LongRunVariance.ofCounts(one, new double[] {4}, 1)).isEqualTo(2.25);
    assertThat(LongRunVariance.inflationOfCounts(one, new double[] {4}, 1)).isEqualTo(1);
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    double[] two = new double[2];
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LongRunVariance.ofMeans(two, 0))
        .withMessage("horizon=0: must be at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LongRunVariance.ofCounts(two, new double[3], 1))
        .withMessage("observed has 2 entries: must be as many as in expected, 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LongRunVariance.inflationOfCounts(two, two, 0));
  }
}
