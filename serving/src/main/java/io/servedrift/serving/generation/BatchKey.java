package io.servedrift.serving.generation;

import java.util.List;

/**
 * Requests with equal keys may share a batch.
 *
 * @param width pixels
 * @param height pixels
 * @param guided whether guidance is on
 * @param adapters names of adapters, in order of application
 */
public record BatchKey(int width, int height, boolean guided, List<String> adapters) {

  public BatchKey {
    adapters = List.copyOf(adapters);
  }

  /** The key of a request. */
  public static BatchKey of(ImageRequest request) {
    return new BatchKey(request.width(), request.height(), request.guided(), request.adapters());
  }
}
