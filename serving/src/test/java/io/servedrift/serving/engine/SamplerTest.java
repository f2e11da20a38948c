package io.servedrift.serving.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Samplers on data of which everything is known: one normal value of mean 0.7 and deviation 0.25.
 * The perfect denoiser is then linear, and the probability-flow equation keeps {@code (x - alpha m)
 * / sqrt(alpha^2 s^2 + sigma^2)} constant, so that the exact end of a path is known from its start.
 */
class SamplerTest {

  private static final double MEAN = 0.7;
  private static final double DEVIATION = 0.25;

  private static final NoiseSchedule SCHEDULE =
      new NoiseSchedule(BetaSchedule.SCALED_LINEAR.betas(1000, 0.00085, 0.012));

  private static double variance(NoiseLevel at) {
    return at.alpha() * at.alpha() * DEVIATION * DEVIATION + at.sigma() * at.sigma();
  }

  /** E[x0 | x]. */
  private static double clean(double x, NoiseLevel at) {
    double gain = at.alpha() * DEVIATION * DEVIATION / variance(at);
    return MEAN + gain * (x - at.alpha() * MEAN);
  }

  private static float predict(Prediction prediction, double x, NoiseLevel at) {
    double clean = clean(x, at);
    double noise = (x - at.alpha() * clean) / at.sigma();
    return (float)
        (prediction == Prediction.EPSILON ? noise : at.alpha() * noise - at.sigma() * clean);
  }

  private static double exact(double start, NoiseLevel from, NoiseLevel to) {
    return to.alpha() * MEAN
        + Math.sqrt(variance(to) / variance(from)) * (start - from.alpha() * MEAN);
  }

  private static double run(
      SamplerKind kind, Prediction prediction, NoiseLevel[] path, double start) {
    Sampler sampler = kind.start(path, prediction);
    float[] latent = {(float) start};
    for (int step = 0; step < path.length - 1; step++) {
      sampler.advance(latent, new float[] {predict(prediction, latent[0], path[step])}, step);
    }
    return latent[0];
  }

  /** Even steps of lambda, on which the order of a method shows. */
  private static NoiseLevel[] evenPath(int steps) {
    NoiseLevel[] path = new NoiseLevel[steps + 1];
    for (int i = 0; i <= steps; i++) {
      double lambda = -2 + 4.0 * i / steps;
      path[i] = NoiseLevel.of(0, 1 / (1 + Math.exp(-2 * lambda)));
    }
    return path;
  }

  private static double error(SamplerKind kind, int steps) {
    NoiseLevel[] path = evenPath(steps);
    return Math.abs(run(kind, Prediction.EPSILON, path, 1.5) - exact(1.5, path[0], path[steps]));
  }

  /**
   * Twice the steps: half the error of a first-order method, at most about a quarter of a
   * second-order one.
   */
  @Test
  void errorFallsWithTheOrderOfTheMethod() {
    assertThat(error(SamplerKind.EULER, 20) / error(SamplerKind.EULER, 40)).isBetween(1.8, 2.2);
    assertThat(error(SamplerKind.DDIM, 20) / error(SamplerKind.DDIM, 40)).isBetween(1.8, 2.2);
    assertThat(error(SamplerKind.DPMPP_2M, 40) / error(SamplerKind.DPMPP_2M, 80))
        .isGreaterThan(3.6);
  }

  /**
   * Euler's iterates in closed form. In units of alpha the distance from the mean obeys {@code
   * dd/ds = s d / (S^2 + s^2)}, so each step multiplies it by {@code 1 + (s' - s) s / (S^2 + s^2)}.
   */
  private static double eulerEnd(NoiseLevel[] path, double start) {
    double distance = start / path[0].alpha() - MEAN;
    for (int i = 0; i < path.length - 1; i++) {
      double s = path[i].sigma() / path[i].alpha();
      double next = path[i + 1].sigma() / path[i + 1].alpha();
      distance *= 1 + (next - s) * s / (DEVIATION * DEVIATION + s * s);
    }
    return MEAN + distance;
  }

  @ParameterizedTest
  @EnumSource(names = {"EULER", "DDIM"})
  void firstOrderIteratesAreTheirClosedForm(SamplerKind kind) {
    for (int steps : new int[] {1, 2, 10, 50, 1000}) {
      NoiseLevel[] path = SCHEDULE.path(steps);
      for (double start : new double[] {-2, -0.3, 0, 1, 2.5}) {
        assertThat(run(kind, Prediction.V_PREDICTION, path, start))
            .isCloseTo(eulerEnd(path, start), within(1e-5));
      }
    }
  }

  @Test
  void secondOrderIsNearerToTheExactSolution() {
    for (int steps : new int[] {8, 15, 30, 100}) {
      // Without the last step, which is of first order for all.
      NoiseLevel[] path = Arrays.copyOf(SCHEDULE.path(steps), steps);
      for (double start : new double[] {-2, -0.3, 0, 1, 2.5}) {
        double exact = exact(start, path[0], path[steps - 1]);
        double euler = run(SamplerKind.EULER, Prediction.V_PREDICTION, path, start);
        double second = run(SamplerKind.DPMPP_2M, Prediction.V_PREDICTION, path, start);
        assertThat(Math.abs(second - exact)).isLessThan(Math.abs(euler - exact) / 2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void predictingNoiseOrVelocityIsTheSame(SamplerKind kind) {
    NoiseLevel[] path = SCHEDULE.path(12);
    for (double start : new double[] {-2, 0.5, 2}) {
      assertThat(run(kind, Prediction.V_PREDICTION, path, start))
          .isCloseTo(run(kind, Prediction.EPSILON, path, start), within(2e-6));
    }
  }

  /** Song et al. 2021, eq. 13. */
  @Property(tries = 100, seed = "11")
  void ddimIsEulerOnTheSameTimesteps(
      @ForAll @IntRange(min = 1, max = 60) int steps,
      @ForAll @IntRange(min = -30, max = 30) int start) {
    NoiseLevel[] path = SCHEDULE.path(steps);

    assertThat(run(SamplerKind.DDIM, Prediction.EPSILON, path, start / 10.0))
        .isCloseTo(run(SamplerKind.EULER, Prediction.EPSILON, path, start / 10.0), within(1e-5));
  }

  /** One step leads to the denoised value, whatever the method. */
  @ParameterizedTest
  @EnumSource
  void theLastStepGivesTheDenoisedValue(SamplerKind kind) {
    NoiseLevel[] path = SCHEDULE.path(1);

    assertThat(run(kind, Prediction.V_PREDICTION, path, 1.25))
        .isCloseTo(clean(1.25, path[0]), within(1e-6));
  }

  /** A schedule that begins with almost no signal: sigma is 20000 in units of alpha. */
  @ParameterizedTest
  @EnumSource(names = {"EULER", "DDIM"})
  void cosineScheduleWithVelocityKeepsItsDigits(SamplerKind kind) {
    NoiseLevel[] path =
        new NoiseSchedule(BetaSchedule.SQUAREDCOS_CAP_V2.betas(1000, 0, 0)).path(50);

    assertThat(run(kind, Prediction.V_PREDICTION, path, 1.2))
        .isCloseTo(eulerEnd(path, 1.2), within(1e-4));
  }
}
