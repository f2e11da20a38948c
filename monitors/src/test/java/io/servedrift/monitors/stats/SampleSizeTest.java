package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleSizeTest {
  private static final double ALPHA = 0.05;
  private static final double POWER = 0.9;

  /** (1.644854 + 1.644854)^2 = 10.8222 and (1.644854 + 1.281552)^2 = 8.5638, times (sd/room)^2. */
  @ParameterizedTest
  @CsvSource({
    "0.010, 0.003, 0, 121",
    "0.020, 0.003, 0, 481",
    "0.020, 0.005, 0, 174",
    "0.042, 0.003, 0, 2122",
    "0.042, 0.005, 0, 764",
    "0.010, 0.003, 0.00001, 121",
    "0.010, 0.003, 0.0015, 381",
    "0.020, 0.003, 0.0015, 1523"
  })
  void ofPairedMeans(double sd, double margin, double difference, long pairs) {
    assertThat(SampleSize.equivalence(sd, margin, difference, ALPHA, POWER)).isEqualTo(pairs);
  }

  /** psi = .01: 8.5638 .01 / d^2. */
  @Test
  void ofPairedProportions() {
    assertThat(SampleSize.pairedProportions(0.01, 0.005, ALPHA, POWER)).isEqualTo(3426);
    assertThat(SampleSize.pairedProportions(0.01, 0.01, ALPHA, POWER)).isEqualTo(857);
  }

  @Test
  void ofAShare_whenSoManyFail() {
    assertThat(SampleSize.share(0.99, 0, 0.95)).isEqualTo(299);
    assertThat(SampleSize.share(0.99, 1, 0.95)).isEqualTo(473);
    assertThat(SampleSize.share(0.99, 2, 0.95)).isEqualTo(628);
    assertThat(ProportionInterval.lowerLimit(627, 628, 0.95)).isGreaterThan(0.99);
    assertThat(ProportionInterval.lowerLimit(626, 628, 0.95)).isGreaterThanOrEqualTo(0.99);
    assertThat(ProportionInterval.lowerLimit(625, 627, 0.95)).isLessThan(0.99);
  }

  /** 239 s^2 / ln(1 + m)^2: the published table's own figures, to its rounding of 239. */
  @ParameterizedTest
  @CsvSource({
    "0.3, 0.10, 2366", "0.3, 0.20, 647", "0.5, 0.10, 6572",
    "0.5, 0.20, 1796", "0.8, 0.20, 4598", "0.8, 0.30, 2221"
  })
  void ofAQuantileRatio(double s, double margin, long perArm) {
    assertThat(SampleSize.quantileRatio(s, margin, 0.99, ALPHA, POWER))
        .isCloseTo(perArm, within((long) Math.ceil(perArm * 0.001)));
  }

  /** The normal approximation against the exact power of the t-test in the reference values. */
  @Test
  void isAlmostTheExactNumber_ofAPairedT() {
    double exact = RefValues.named("n_paired").expected().doubleValue();
    assertThat(SampleSize.nonInferiority(1, 0.1, ALPHA, POWER))
        .isBetween((long) exact - 2, (long) exact + 1);
  }
}
