package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IntervalCoverageTesterTest {
  private final IntervalCoverageTester tester = new IntervalCoverageTester(1, 4000);

  @Test
  void acceptsTheRangeItStates_whenCoverageIs95Percent() {
    assertThat(tester.least(0.95)).isEqualTo(3731);
    assertThat(BinomialTails.quantile(1 - IntervalCoverageTester.FALSE_ALARM, 4000, 0.95))
        .isEqualTo(3862);
    tester.assertCoverage(0.95, random -> random.nextDouble() < 0.95);
  }

  @Test
  void fails_whenCoverageIsFivePercentLowerOrHigher() {
    assertThatThrownBy(() -> tester.assertCoverage(0.95, random -> random.nextDouble() < 0.90))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> tester.assertCoverage(0.90, random -> random.nextDouble() < 0.95))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(
            () -> tester.assertCoverageAtLeast(0.95, random -> random.nextDouble() < 0.90))
        .isInstanceOf(AssertionError.class);
  }
}
