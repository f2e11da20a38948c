package io.servedrift.serving.engine;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Turns a prompt into token ids by a {@code tokenizer.json} of the HuggingFace tokenizers library,
 * with the special tokens of the file's post-processor. Never pads, whatever the file says: a
 * prompt's ids do not depend on its neighbours. Longer prompts are cut to {@code maxTokens}; the
 * special tokens stay. Thread-safe.
 */
public final class PromptTokenizer implements AutoCloseable {

  private final HuggingFaceTokenizer tokenizer;

  private PromptTokenizer(HuggingFaceTokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /**
   * Reads a tokenizer.
   *
   * @param tokenizerJson the {@code tokenizer.json}
   * @param maxTokens the most ids of a prompt, special tokens included; at least 1
   * @throws IOException when the file cannot be read or is no tokenizer
   */
  public static PromptTokenizer load(Path tokenizerJson, int maxTokens) throws IOException {
    return parse(Files.readAllBytes(tokenizerJson), maxTokens);
  }

  /**
   * A tokenizer from the content of its file, for callers that checked the content already.
   *
   * @param maxTokens the most ids of a prompt, special tokens included; at least 1
   * @throws IOException when the content is no tokenizer
   */
  public static PromptTokenizer parse(byte[] tokenizerJson, int maxTokens) throws IOException {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("maxTokens=" + maxTokens + ": must be at least 1");
    }
    TorchRuntime.stayOffline();
    Map<String, String> options =
        Map.of("truncation", "true", "padding", "false", "maxLength", Integer.toString(maxTokens));
    try {
      return new PromptTokenizer(
          HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(tokenizerJson), options));
    } catch (RuntimeException e) {
      // The native library reports every malformed file as a plain RuntimeException.
      throw new IOException("no usable tokenizer.json: " + e.getMessage(), e);
    }
  }

  /** The ids of a prompt, special tokens included. */
  public PromptTokens encode(String prompt) {
    Encoding encoding = tokenizer.encode(prompt);
    return new PromptTokens(encoding.getIds(), encoding.exceedMaxLength());
  }

  /** How many ids a prompt has, special tokens included, also those that {@link #encode} cuts. */
  public int count(String prompt) {
    Encoding encoding = tokenizer.encode(prompt, true, true);
    int count = encoding.getIds().length;
    for (Encoding rest : encoding.getOverflowing()) {
      // Each rest has the special tokens again.
      count += (int) Arrays.stream(rest.getSpecialTokenMask()).filter(mask -> mask == 0).count();
    }
    return count;
  }

  /** Frees the native tokenizer; {@link #encode} must not be called afterwards. */
  @Override
  public void close() {
    tokenizer.close();
  }
}
