package io.servedrift.serving.engine;

import java.util.Locale;

/** The modules of a pipeline. */
public enum Component {
  /** Token ids to conditioning. */
  TEXT_ENCODER,
  /** A noisy latent, its timestep and conditioning to the noise or velocity in it. */
  DENOISER,
  /** A finished latent to pixels; absent when the pipeline diffuses pixels. */
  DECODER;

  /** Its name in {@code pipeline.json}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
