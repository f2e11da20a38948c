package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class TrendTest {
  private static final int POINTS = 100;

  /** Share of series called gradual, noise of one standard deviation. */
  private static double share(long seed, IntToDoubleFunction mean) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] time = new double[POINTS];
    Arrays.setAll(time, at -> at);
    double[] precision = new double[POINTS];
    Arrays.fill(precision, 1);
    int gradual = 0;
    int runs = 400;
    for (int run = 0; run < runs; run++) {
      double[] value = new double[POINTS];
      Arrays.setAll(value, at -> mean.applyAsDouble(at) + random.nextGaussian());
      gradual += Trend.isGradual(time, value, precision) ? 1 : 0;
    }
    return gradual / (double) runs;
  }

  @Test
  void seldomCallsAStepGradual() {
    assertThat(share(1, at -> at < 40 ? 0 : 2)).isLessThan(0.02);
    assertThat(share(2, at -> at < 70 ? 0 : -1)).isLessThan(0.05);
    assertThat(share(3, at -> 0)).isLessThan(0.05);
  }

  @Test
  void callsARampGradual_whenItIsLargeEnough() {
    assertThat(share(4, at -> 0.04 * at)).isGreaterThan(0.95);
    assertThat(share(5, at -> at < 40 ? 0 : -0.06 * (at - 40))).isGreaterThan(0.85);
  }

  @Test
  void saysNothing_ofAFewPoints() {
    double[] line = {0, 1, 2, 3, 4, 5, 6};
    double[] precise = new double[7];
    Arrays.fill(precise, 1e6);
    assertThat(Trend.isGradual(line, line, precise)).isFalse();
  }
}
