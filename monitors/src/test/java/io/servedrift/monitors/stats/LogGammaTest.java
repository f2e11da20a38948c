package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;
import org.junit.jupiter.api.Test;

/** {@link LogGamma} and {@link LogSpace}. */
class LogGammaTest {
  @Test
  void isTheLogOfTheFactorial_whenTheArgumentIsWhole() {
    double sum = 0;
    for (int n = 1; n <= 100_000; n++) {
      if (n < 200 || n % 1000 == 0) {
        assertThat(LogGamma.of(n)).as("n=%d", n).isCloseTo(sum, within(1e-14 * Math.max(1, sum)));
      }
      sum += StrictMath.log(n);
    }
  }

  @Test
  void isHalfTheLogOfPi_whenTheArgumentIsOneHalf() {
    assertThat(LogGamma.of(0.5)).isCloseTo(Math.log(Math.PI) / 2, within(4e-15));
    assertThat(LogGamma.beta(0.5, 0.5)).isCloseTo(Math.log(Math.PI), within(8e-15));
  }

  @Property(tries = 300)
  void growsByTheLogOfItsArgument_whenTheArgumentGrowsByOne(
      @ForAll @Scale(6) @DoubleRange(min = 0.001, max = 1e6) double x) {
    double allowed = 4e-15 * Math.max(1, Math.abs(LogGamma.of(x + 1)));
    assertThat(LogGamma.of(x + 1)).isCloseTo(LogGamma.of(x) + Math.log(x), within(allowed));
  }

  @Property(tries = 300)
  void addsAsNumbersDo_whenTheyAreSmall(
      @ForAll @DoubleRange(min = -30, max = 30) double x,
      @ForAll @DoubleRange(min = -30, max = 30) double y) {
    double direct = Math.log(Math.exp(x) + Math.exp(y));
    assertThat(LogSpace.sum(new double[] {x, y})).isCloseTo(direct, within(1e-12));
    assertThat(LogSpace.onePlus(x)).isCloseTo(Math.log(1 + Math.exp(x)), within(1e-12));
  }

  @Test
  void keepsZerosAndHugeNumbers_whenAdding() {
    double zero = Double.NEGATIVE_INFINITY;
    assertThat(LogSpace.sum(new double[] {})).isEqualTo(zero);
    assertThat(LogSpace.sum(new double[] {zero, zero})).isEqualTo(zero);
    assertThat(LogSpace.sum(new double[] {zero, 3})).isEqualTo(3);
    assertThat(LogSpace.sum(new double[] {5000, 5000}))
        .isCloseTo(5000 + Math.log(2), within(1e-12));
    assertThat(LogSpace.onePlus(zero)).isZero();
    assertThat(LogSpace.onePlus(5000)).isEqualTo(5000);
  }
}
