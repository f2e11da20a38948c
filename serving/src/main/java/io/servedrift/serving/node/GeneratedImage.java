package io.servedrift.serving.node;

import io.servedrift.schemas.avro.RequestEvent;
import java.util.List;

/**
 * A finished image as it is sent.
 *
 * @param requestId identity of its request event
 * @param seed seed of its noise
 * @param png the PNG file; not copied
 * @param event what its request event says of how it was made
 * @param computeSeconds seconds of the engine that it was charged; a shared step counts by its part
 * @param cut prompts that the model read in part
 */
@SuppressWarnings("ArrayRecordComponent")
public record GeneratedImage(
    String requestId,
    long seed,
    byte[] png,
    RequestEvent event,
    double computeSeconds,
    List<CutPrompt> cut) {

  public GeneratedImage {
    cut = List.copyOf(cut);
  }
}
