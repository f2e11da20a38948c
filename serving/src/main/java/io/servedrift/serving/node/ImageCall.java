package io.servedrift.serving.node;

import io.servedrift.serving.generation.ImageRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of the API, checked: the images it asks for and what only the record of it needs.
 *
 * @param images what to make, one request each; equal but for identity and seed
 * @param promptClass the client's class of the prompt; {@code null} when not given
 * @param synthetic gate and test traffic, kept out of live series
 */
public record ImageCall(
    List<ImageRequest> images, @Nullable String promptClass, boolean synthetic) {

  public ImageCall {
    images = List.copyOf(images);
    if (images.isEmpty()) {
      throw new IllegalArgumentException("images: must hold at least one request");
    }
  }
}
