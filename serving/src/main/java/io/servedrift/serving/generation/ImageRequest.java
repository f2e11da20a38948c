package io.servedrift.serving.generation;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One image to make. Holds the prompt's text, which never leaves the process.
 *
 * @param requestId identity of the request in its deployment
 * @param prompt what to draw
 * @param negativePrompt what to keep away from; {@code null} means the empty prompt
 * @param width pixels
 * @param height pixels
 * @param steps denoising steps, at least 1
 * @param guidanceScale weight of the prompt against the negative prompt; 1 switches guidance off
 * @param seed seed of this request's own noise
 * @param adapters names of adapters, in order of application
 * @param priority the larger goes first; 0 is usual
 * @param timeout how long it may take from its arrival; {@code null} means no limit
 * @param useCache false computes the conditioning anew and stores nothing
 */
public record ImageRequest(
    String requestId,
    String prompt,
    @Nullable String negativePrompt,
    int width,
    int height,
    int steps,
    double guidanceScale,
    long seed,
    List<String> adapters,
    int priority,
    @Nullable Duration timeout,
    boolean useCache) {

  public ImageRequest {
    adapters = List.copyOf(adapters);
  }

  /** Without the prompts: their texts belong into no log. */
  @Override
  public String toString() {
    return "ImageRequest["
        + requestId
        + ", "
        + width
        + "x"
        + height
        + ", steps="
        + steps
        + ", guidanceScale="
        + guidanceScale
        + ", priority="
        + priority
        + "]";
  }

  /** Whether each step needs a second evaluation of the denoiser, for the negative prompt. */
  public boolean guided() {
    return guidanceScale != 1;
  }
}
