package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PairedProportionDifferenceTest {
  /**
   * Airway hyper-responsiveness before and after stem cell transplantation (Bentur et al. 2009), as
   * in Fagerland, Lydersen &amp; Laake, Statistics in Medicine 33 (2014), table VI.
   */
  @Test
  void agrees_whenComparedWithAPublishedExample() {
    Interval interval = PairedProportionDifference.interval(1, 7, 21, 0.95);

    assertThat(interval.lower()).isCloseTo(-0.517, within(0.0005));
    assertThat(interval.upper()).isCloseTo(-0.026, within(0.0005));
  }

  /** Without a margin it is McNemar's statistic, (b - c) / sqrt(b + c). */
  @Test
  void isMcNemar_whenTheDifferenceIsZero() {
    assertThat(PairedProportionDifference.score(13, 4, 180, 0).z())
        .isCloseTo(9 / Math.sqrt(17), within(1e-12));
  }

  /** Nothing discordant in n: z^2 / (n + z^2) by the closed form. */
  @Test
  void hasTheLimitOfTheScoreMethod_whenNoPairDiffers() {
    Interval interval = PairedProportionDifference.interval(0, 0, 500, 0.90);
    double z = 1.6448536269514722;

    assertThat(interval.upper()).isCloseTo(z * z / (500 + z * z), within(1e-9));
    assertThat(interval.lower()).isCloseTo(-interval.upper(), within(1e-12));
  }

  @Property(tries = 200)
  void usesTheMostLikelyShares_whenTheyAreSearchedFor(
      @ForAll @IntRange(min = 0, max = 40) int b,
      @ForAll @IntRange(min = 0, max = 40) int c,
      @ForAll @IntRange(min = 1, max = 200) int concordant,
      @ForAll @DoubleRange(min = -0.8, max = 0.8) double delta) {
    long n = (long) b + c + concordant;
    double low = Math.max(0, -delta);
    double high = (1 - delta) / 2;
    for (int i = 0; i < 200; i++) {
      double q = (low + high) / 2;
      double slope = term(b, q + delta) + term(c, q) - 2 * term(concordant, 1 - 2 * q - delta);
      if (slope > 0) {
        low = q;
      } else {
        high = q;
      }
    }
    double q = (low + high) / 2;
    double variance = n * (2 * q + delta * (1 - delta));
    double distance = b - c - n * delta;
    double right = distance / Math.sqrt(variance);
    assertThat(PairedProportionDifference.score(b, c, n, delta).z())
        .isCloseTo(distance == 0 ? 0 : right, within(1e-5 * Math.max(1, Math.abs(right))));
  }

  private static double term(long count, double p) {
    return count == 0 ? 0 : count / Math.max(p, 1e-300);
  }

  @Property(tries = 100)
  void turnsRound_whenSidesAreExchanged(
      @ForAll @IntRange(min = 0, max = 50) int b, @ForAll @IntRange(min = 0, max = 50) int c) {
    Interval one = PairedProportionDifference.interval(b, c, 120, 0.9);
    Interval other = PairedProportionDifference.interval(c, b, 120, 0.9);
    assertThat(one.lower()).isCloseTo(-other.upper(), within(1e-9));
    assertThat(one.contains((b - c) / 120.0)).isTrue();
  }

  @Test
  void coversAsOftenAsItSays_whenSampled() {
    new IntervalCoverageTester(17, 3000)
        .assertCoverageAtLeast(
            0.94,
            random -> {
              int b = 0;
              int c = 0;
              for (int i = 0; i < 400; i++) {
                double u = random.nextDouble();
                b += u < 0.03 ? 1 : 0;
                c += u >= 0.03 && u < 0.05 ? 1 : 0;
              }
              return PairedProportionDifference.interval(b, c, 400, 0.95).contains(0.01);
            });
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PairedProportionDifference.interval(3, 8, 10, 0.9))
        .withMessage("onlySecond=8: must be between 0 and n=7");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PairedProportionDifference.score(1, 1, 10, 1));
  }
}
