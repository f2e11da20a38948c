package io.servedrift.serving.engine;

/**
 * A point of the variance-preserving diffusion: {@code x = alpha x0 + sigma eps} with {@code
 * alpha^2 + sigma^2 = 1} (Ho et al. 2020, eq. 4).
 *
 * @param timestep what the denoiser is told; not used at the clean end
 * @param alpha weight of the clean value
 * @param sigma weight of the noise
 */
record NoiseLevel(double timestep, double alpha, double sigma) {

  /** The end of every path. */
  static final NoiseLevel CLEAN = new NoiseLevel(0, 1, 0);

  /** From the cumulated product of {@code 1 - beta}. */
  static NoiseLevel of(double timestep, double alphaBar) {
    return new NoiseLevel(timestep, Math.sqrt(alphaBar), Math.sqrt(1 - alphaBar));
  }

  /** Half the logarithm of the signal-to-noise ratio; infinite at the clean end. */
  double lambda() {
    return Math.log(alpha / sigma);
  }
}
