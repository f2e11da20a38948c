package io.servedrift.serving.score.http;

import io.servedrift.serving.score.ScoreInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A post, read.
 *
 * @param items at least one
 * @param single whether it was one item without a list, to be answered so
 * @param embedding whether the images' embeddings are wanted
 */
record ScoreRequest(List<Item> items, boolean single, boolean embedding) {

  ScoreRequest {
    items = List.copyOf(items);
  }

  /**
   * One image.
   *
   * @param input image and prompt
   * @param target whose scores to publish; {@code null} for nobody's
   */
  record Item(ScoreInput input, @Nullable Target target) {}

  /** A request of a deployment. */
  record Target(String deployment, String requestId) {}
}
