package io.servedrift.serving.engine;

import java.util.Locale;

/** How a latent is led along its path; all are deterministic given the noise at the start. */
public enum SamplerKind {
  /**
   * Euler's method on the probability-flow equation in units of {@code sigma / alpha} (Karras et
   * al. 2022, algorithm 1 without its second-order correction).
   */
  EULER,
  /**
   * DDIM with no noise added (Song et al. 2021, eq. 12 with sigma 0). On the same timesteps it is
   * Euler's method written otherwise (their eq. 13); the two differ by rounding only.
   */
  DDIM,
  /** DPM-Solver++(2M), second order, multistep (Lu et al. 2022, algorithm 2). */
  DPMPP_2M;

  /** Its name in {@code pipeline.json} and in settings. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A sampler for one request. */
  Sampler start(NoiseLevel[] path, Prediction prediction) {
    return switch (this) {
      case EULER -> new EulerSampler(path, prediction);
      case DDIM -> new DdimSampler(path, prediction);
      case DPMPP_2M -> new DpmSolverMultistepSampler(path, prediction);
    };
  }
}
