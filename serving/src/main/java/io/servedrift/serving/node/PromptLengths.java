package io.servedrift.serving.node;

import io.servedrift.serving.generation.ImageRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

/** How long prompts are, and which of them the model reads in part. Thread-safe. */
final class PromptLengths {

  private final ToIntFunction<String> tokens;
  private final IntSupplier longest;

  /**
   * Lengths by a tokenizer.
   *
   * @param tokens length of a prompt, what the model cuts included; thread-safe
   * @param longest how many tokens the model reads, now
   */
  PromptLengths(ToIntFunction<String> tokens, IntSupplier longest) {
    this.tokens = tokens;
    this.longest = longest;
  }

  /** How many tokens a prompt has, those included that the model does not read. */
  int of(String prompt) {
    return tokens.applyAsInt(prompt);
  }

  /**
   * The prompts of a request that are cut.
   *
   * @param promptTokens how many tokens its prompt has
   */
  List<CutPrompt> cut(ImageRequest request, int promptTokens) {
    int read = longest.getAsInt();
    List<CutPrompt> cut = new ArrayList<>();
    if (promptTokens > read) {
      cut.add(new CutPrompt("prompt", promptTokens, read));
    }
    String negative = request.negativePrompt();
    int negativeTokens = negative == null ? 0 : of(negative);
    if (negativeTokens > read) {
      cut.add(new CutPrompt("negative_prompt", negativeTokens, read));
    }
    return List.copyOf(cut);
  }
}
