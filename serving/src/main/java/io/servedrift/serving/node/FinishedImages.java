package io.servedrift.serving.node;

import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;

/** Is handed each image that was made, for instance to score it. Must not block. Thread-safe. */
@FunctionalInterface
public interface FinishedImages {

  /** Does nothing. */
  FinishedImages NONE = (request, image) -> {};

  /**
   * An image was made and is about to be sent.
   *
   * @param image its bytes are not changed afterwards
   */
  void finished(ImageRequest request, ImageOutput image);
}
