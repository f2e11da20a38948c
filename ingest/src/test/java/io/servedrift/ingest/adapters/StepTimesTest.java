package io.servedrift.ingest.adapters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StepTimesTest {
  @Test
  void splitsWhereTwoGroupsAreFarApart() {
    assertThat(StepTimes.of(new double[] {180, 130, 128, 126, 131, 41, 40, 129, 42}))
        .isEqualTo(new StepTimes.Split(3, 6));
  }

  @Test
  void seesNoCache_whenAllStepsAreAlike() {
    assertThat(StepTimes.of(new double[] {120, 100, 101, 99, 102, 110}))
        .isEqualTo(new StepTimes.Split(0, 6));
  }

  @Test
  void takesFewHiccupsForNoGroup() {
    double[] steps = new double[28];
    Arrays.fill(steps, 100);
    steps[11] = 160;
    steps[19] = 160;

    assertThat(StepTimes.of(steps)).isNull();
  }

  @Test
  void saysNothing_whenOnlyTheFirstStepMayHaveBeenComputed() {
    assertThat(StepTimes.of(new double[] {128, 41, 41, 41, 41, 41})).isNull();
    assertThat(StepTimes.of(new double[] {900, 100, 101, 99, 102, 110})).isNull();
  }

  @Test
  void saysNothing_whenAGroupScattersAsMuchAsTheGap() {
    assertThat(StepTimes.of(new double[] {200, 10, 15, 21, 31, 50, 51, 52})).isNull();
  }

  @Test
  void saysNothing_whenAStepHasNoDuration() {
    assertThat(StepTimes.of(new double[] {100, 100, Double.NaN, 100, 100, 100})).isNull();
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
