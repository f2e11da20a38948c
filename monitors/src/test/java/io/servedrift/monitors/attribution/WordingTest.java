package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.stats.Interval;
import org.junit.jupiter.api.Test;

class WordingTest {

  @Test
  void numbersHaveThreeDigitsAndNoExponent() {
    assertThat(Wording.number(.0123456)).isEqualTo("0.0123");
    assertThat(Wording.signed(.000179)).isEqualTo("+0.000179");
    assertThat(Wording.signed(-12.349)).isEqualTo("-12.3");
  }

  @Test
  void whatRoundingLeavesOfZeroIsZero() {
    assertThat(Wording.number(-1.35e-17)).isEqualTo("0");
    assertThat(Wording.signed(1.35e-17)).isEqualTo("0");
    assertThat(Wording.interval(new Interval(-1.35e-17, .00369))).isEqualTo("(0..0.00369)");
  }
}
