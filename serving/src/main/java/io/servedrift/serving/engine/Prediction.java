package io.servedrift.serving.engine;

import java.util.Locale;

/**
 * What a denoiser predicts. With {@code x = alpha x0 + sigma eps}:
 *
 * <ul>
 *   <li>epsilon: {@code eps}, so {@code x0 = (x - sigma eps) / alpha} (Ho et al. 2020, eq. 15);
 *   <li>velocity: {@code v = alpha eps - sigma x0}, so {@code x0 = alpha x - sigma v} and {@code
 *       eps = sigma x + alpha v} (Salimans and Ho 2022, appendix D).
 * </ul>
 */
public enum Prediction {
  /** The noise. */
  EPSILON,
  /** The velocity. */
  V_PREDICTION;

  /** Its name in {@code pipeline.json}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The clean value that a prediction stands for. */
  double clean(double x, double output, NoiseLevel at) {
    return this == EPSILON
        ? (x - at.sigma() * output) / at.alpha()
        : at.alpha() * x - at.sigma() * output;
  }

  /** The noise that a prediction stands for. */
  double noise(double x, double output, NoiseLevel at) {
    return this == EPSILON ? output : at.sigma() * x + at.alpha() * output;
  }
}
