package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepReuseTest {

  @Test
  void theFirstStepIsComputed() {
    assertThat(new StepReuse(0.5).reuses(new float[] {1, 1}, false)).isFalse();
  }

  @Test
  void aSmallChangeReusesAndALargeOneDoesNot() {
    StepReuse reuse = new StepReuse(0.1);
    reuse.computes(new float[] {4, -4});

    // 0.4 of 8 and 0.8 of 8.
    assertThat(reuse.reuses(new float[] {4.4f, -4}, false)).isTrue();
    assertThat(reuse.reuses(new float[] {4.4f, -4.5f}, false)).isFalse();
  }

  /** Small changes add up: the latent is compared with the last one that was computed. */
  @Test
  void changesAreMeasuredFromTheLastComputedStep() {
    StepReuse reuse = new StepReuse(0.1);
    float[] latent = {10};
    reuse.computes(latent);
    latent[0] = 10.6f;
    assertThat(reuse.reuses(latent, false)).isTrue();
    latent[0] = 11.2f;

    assertThat(reuse.reuses(latent, false)).isFalse();
    reuse.computes(latent);
    assertThat(reuse.reuses(latent, false)).isTrue();
  }

  @Test
  void theLastStepIsComputed() {
    StepReuse reuse = new StepReuse(0.5);
    reuse.computes(new float[] {1});

    assertThat(reuse.reuses(new float[] {1}, false)).isTrue();
    assertThat(reuse.reuses(new float[] {1}, true)).isFalse();
  }

  @Test
  void thresholdZeroNeverReuses() {
    StepReuse reuse = new StepReuse(0);
    reuse.computes(new float[] {1});

    assertThat(reuse.reuses(new float[] {1}, false)).isFalse();
  }
}
