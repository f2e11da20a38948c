package io.servedrift.serving.engine;

import org.jspecify.annotations.Nullable;

/**
 * Whether a request may use the denoiser's last output again: when its latent has changed by less
 * than a share since the denoiser last saw it. The idea is that of TeaCache (Liu et al. 2024) and
 * of the first-block cache of ParaAttention: a small change of the input announces a small change
 * of the output. Measured here as the relative L1 change of the latent itself, which needs no part
 * of the denoiser. It changes the image; the first and the last step are always computed. Not
 * thread-safe; one for each request.
 */
final class StepReuse {

  private final double threshold;
  private float @Nullable [] seen;

  /**
   * For one request.
   *
   * @param threshold largest share of change that reuses; 0 never reuses
   */
  StepReuse(double threshold) {
    this.threshold = threshold;
  }

  /** Whether this step may use the last output. */
  boolean reuses(float[] latent, boolean lastStep) {
    return seen != null && !lastStep && threshold > 0 && change(seen, latent) < threshold;
  }

  /** The denoiser sees this latent. */
  void computes(float[] latent) {
    if (threshold > 0) {
      seen = latent.clone();
    }
  }

  /** {@code |now - before|_1 / |before|_1}. */
  private static double change(float[] before, float[] now) {
    double difference = 0;
    double size = 0;
    for (int i = 0; i < before.length; i++) {
      difference += Math.abs((double) now[i] - before[i]);
      size += Math.abs(before[i]);
    }
    return difference / size;
  }
}
