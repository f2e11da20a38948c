package io.servedrift.serving.engine;

/**
 * Leads one request's latent along its noise levels. Latents are kept as the denoiser sees them,
 * variance-preserving; arithmetic is in double, so that no sampler adds rounding of its own. Holds
 * the request's history; not thread-safe.
 */
interface Sampler {

  /**
   * Moves the latent from level {@code step} to level {@code step + 1}, in place. Steps come in
   * order, from 0.
   *
   * @param latent the latent, changed
   * @param output what the denoiser predicted for it
   */
  void advance(float[] latent, float[] output, int step);
}
