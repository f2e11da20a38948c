package io.servedrift.serving.generation;

import io.servedrift.serving.recorder.RequestRecorder;
import java.util.List;

/**
 * Advances images by denoising steps. All methods but {@link #close} are called by one thread at a
 * time. An exception of {@link #begin} or {@link #decode} concerns that request, one of {@link
 * #step} the whole batch.
 */
public interface DiffusionBackend extends AutoCloseable {

  /**
   * Prepares a request: tokens, conditioning (from the cache or computed), noise from its seed.
   * Tells the recorder what the caches did and how long the stage {@code text_encode} took.
   */
  Generation begin(ImageRequest request, RequestRecorder recorder);

  /**
   * Advances each of the batch by one step of its own; all have equal {@link BatchKey}s and
   * remaining steps. Tells each recorder whether the denoiser ran or its last output was used again
   * ({@link RequestRecorder#denoiseStep}). The size of the batch and the stage {@code denoise} are
   * told by the caller.
   */
  void step(List<Generation> batch);

  /** Turns a finished latent into an image; the stage {@code decode}. */
  ImageOutput decode(Generation generation);

  @Override
  void close();
}
