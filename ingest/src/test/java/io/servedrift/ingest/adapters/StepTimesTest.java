package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepTimesTest {
  @Test
  void splitsWhereTwoGroupsAreFarApart() {
    assertThat(StepTimes.of(new double[] {180, 130, 128, 126, 131, 41, 40, 129, 42}))
        .isEqualTo(new StepTimes.Split(3, 6));
  }

  @Test
  void seesNoCache_whenAllStepsAreAlikeButTheFirst() {
    assertThat(StepTimes.of(new double[] {900, 100, 101, 99, 102, 110}))
        .isEqualTo(new StepTimes.Split(0, 6));
  }

  @Test
  void saysNothing_whenOneStepStandsOut() {
    assertThat(StepTimes.of(new double[] {100, 100, 100, 900, 100, 100})).isNull();
    assertThat(StepTimes.of(new double[] {100, 100, 100, 20, 100, 100})).isNull();
  }

  @Test
  void saysNothing_whenStepsScatter() {
    assertThat(StepTimes.of(new double[] {100, 100, 120, 140, 160, 180, 200})).isNull();
  }

  @Test
  void saysNothing_ofTooFewStepsOrOfNone() {
    assertThat(StepTimes.of(new double[] {100, 100, 30, 30})).isNull();
    assertThat(StepTimes.of(new double[] {100, 0, 100, 100, 100, 100})).isNull();
    assertThat(StepTimes.of(new double[0])).isNull();
  }
}
