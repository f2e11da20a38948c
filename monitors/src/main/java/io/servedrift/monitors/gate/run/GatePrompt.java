package io.servedrift.monitors.gate.run;

import org.jspecify.annotations.Nullable;

/**
 * One prompt of the prompts file. What is not given is left to the endpoint. Immutable.
 *
 * @param index place in the file, from 0
 * @param text what is asked; goes to the endpoints and the scorer and nowhere else
 * @param hash keyed hash of the text as in events; null without the key of the deployment
 * @param promptClass class as in the events of the deployment
 * @param system instruction before the prompt, chat only
 * @param negativePrompt what an image must not show
 * @param width of the image, pixels; given with the height
 * @param height of the image, pixels
 * @param steps denoising steps
 * @param seed from 0; when not given, one is made from the gate's seed
 * @param temperature of the production setting, chat only
 * @param maxTokens longest answer, chat only
 * @param sharedPrefix group of prompts that share a beginning, or what else a cache may reuse
 * @param expected what a right answer is, chat only
 */
public record GatePrompt(
    int index,
    String text,
    @Nullable String hash,
    @Nullable String promptClass,
    @Nullable String system,
    @Nullable String negativePrompt,
    @Nullable Integer width,
    @Nullable Integer height,
    @Nullable Integer steps,
    @Nullable Long seed,
    @Nullable Double temperature,
    @Nullable Integer maxTokens,
    @Nullable String sharedPrefix,
    @Nullable Expectation expected) {

  /** A prompt of which only the text is known. */
  public static GatePrompt plain(int index, String text) {
    return new GatePrompt(
        index, text, null, null, null, null, null, null, null, null, null, null, null, null);
  }

  /** The same prompt with the hash under which events know it. */
  public GatePrompt hashed(String keyed) {
    return new GatePrompt(
        index,
        text,
        keyed,
        promptClass,
        system,
        negativePrompt,
        width,
        height,
        steps,
        seed,
        temperature,
        maxTokens,
        sharedPrefix,
        expected);
  }

  /** Its class, or a name for those without one. */
  public String stratum() {
    return promptClass == null ? "" : promptClass;
  }
}
