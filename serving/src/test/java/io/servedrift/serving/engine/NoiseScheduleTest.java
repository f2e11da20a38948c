package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class NoiseScheduleTest {

  private static NoiseSchedule schedule(BetaSchedule betas, double start, double end) {
    return new NoiseSchedule(betas.betas(1000, start, end));
  }

  private static double kSigma(NoiseLevel level) {
    return level.sigma() / level.alpha();
  }

  /** The largest and smallest sigma that ComfyUI and k-diffusion publish for Stable Diffusion. */
  @Test
  void stableDiffusionHasItsPublishedSigmas() {
    NoiseLevel[] path = schedule(BetaSchedule.SCALED_LINEAR, 0.00085, 0.012).path(1000);

    assertThat(kSigma(path[0])).isCloseTo(14.614642, within(2e-6));
    assertThat(kSigma(path[999])).isCloseTo(0.0291675, within(5e-7));
  }

  /** Values of torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=float64)**2. */
  @Test
  void scaledLinearBetasAreThoseOfDiffusers() {
    double[] betas = BetaSchedule.SCALED_LINEAR.betas(1000, 0.00085, 0.012);

    assertThat(betas[0]).isCloseTo(0.00085, within(1e-15));
    assertThat(betas[1]).isCloseTo(0.0008546986554056862, within(1e-15));
    assertThat(betas[500]).isCloseTo(0.004814954141711878, within(1e-15));
    assertThat(betas[999]).isCloseTo(0.012, within(1e-15));
  }

  /** The alpha-bar at the end of the schedule of Ho et al. 2020: 4.04e-5. */
  @Test
  void linearScheduleEndsWhereThePaperSays() {
    assertThat(schedule(BetaSchedule.LINEAR, 1e-4, 0.02).alphaBar(999))
        .isCloseTo(4.0358e-5, within(1e-9));
  }

  /** Values of diffusers' betas_for_alpha_bar, computed in Python. */
  @Test
  void cosineBetasAreThoseOfDiffusers() {
    double[] betas = BetaSchedule.SQUAREDCOS_CAP_V2.betas(1000, 0, 0);

    assertThat(betas[0]).isCloseTo(4.128422482196914e-05, within(1e-12));
    assertThat(betas[500]).isCloseTo(0.003155691441585007, within(1e-12));
    assertThat(betas[999]).isEqualTo(0.999);
  }

  /** np.round(np.arange(1000, 0, -1000 / n)) - 1, as diffusers' timestep_spacing="trailing". */
  @Test
  void timestepsTrail() {
    NoiseSchedule schedule = schedule(BetaSchedule.LINEAR, 1e-4, 0.02);

    assertThat(timesteps(schedule.path(4))).containsExactly(999, 749, 499, 249, 0);
    assertThat(timesteps(schedule.path(7))).containsExactly(999, 856, 713, 570, 428, 285, 142, 0);
    assertThat(timesteps(schedule.path(1))).containsExactly(999, 0);
  }

  @Property(tries = 200, seed = "5")
  void everyPathFallsFromPureNoiseToClean(@ForAll @IntRange(min = 1, max = 1000) int steps) {
    NoiseLevel[] path = schedule(BetaSchedule.SCALED_LINEAR, 0.00085, 0.012).path(steps);

    assertThat(path).hasSize(steps + 1);
    assertThat(path[0].timestep()).isEqualTo(999);
    assertThat(path[steps]).isEqualTo(NoiseLevel.CLEAN);
    for (int i = 0; i < steps; i++) {
      assertThat(path[i].sigma()).isGreaterThan(path[i + 1].sigma());
      assertThat(path[i].alpha() * path[i].alpha() + path[i].sigma() * path[i].sigma())
          .isCloseTo(1, within(1e-15));
    }
  }

  @Test
  void refusesStepsOutsideTheTraining() {
    NoiseSchedule schedule = schedule(BetaSchedule.LINEAR, 1e-4, 0.02);

    assertThatThrownBy(() -> schedule.path(0)).hasMessage("steps=0: must be between 1 and 1000");
    assertThatThrownBy(() -> schedule.path(1001))
        .hasMessage("steps=1001: must be between 1 and 1000");
  }

  private static int[] timesteps(NoiseLevel[] path) {
    return Arrays.stream(path).mapToInt(level -> (int) level.timestep()).toArray();
  }
}
