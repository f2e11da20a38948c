package io.servedrift.serving.generation;

/**
 * One request's image in progress: its conditioning and its latent on the device. Made by {@link
 * DiffusionBackend#begin}; not thread-safe, owned by the thread that steps it.
 */
public interface Generation extends AutoCloseable {

  /** What is being made. */
  ImageRequest request();

  /** Denoising steps still to do; 0 means ready to decode. */
  int remainingSteps();

  /** Frees what it holds on the device; calling it again does nothing. */
  @Override
  void close();
}
