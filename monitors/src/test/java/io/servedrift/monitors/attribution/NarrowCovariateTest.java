package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a level of a covariate may be charged with. */
class NarrowCovariateTest {
  @Test
  void doesNotExplainADuration_byWhatARequestMeetsTheMoreOfTheLongerItRuns() {
    assertThat(NarrowCovariate.all().stream().filter(NarrowCovariate::followsDuration))
        .containsExactly(NarrowCovariate.COMPOSITION, NarrowCovariate.ADAPTERS);
  }

  @Test
  void knowsTheLevelsInWhichServingDidNothing() {
    assertThat(NarrowCovariate.ADAPTERS.touched("own")).isFalse();
    assertThat(NarrowCovariate.ADAPTERS.touched("mixed")).isTrue();
    assertThat(NarrowCovariate.COMPOSITION.touched("stable")).isFalse();
    assertThat(NarrowCovariate.COMPOSITION.touched("left")).isTrue();
    assertThat(NarrowCovariate.NODE.touched(CellAxes.UNKNOWN)).isFalse();
  }
}
