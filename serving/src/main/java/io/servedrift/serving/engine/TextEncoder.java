package io.servedrift.serving.engine;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Prompt to conditioning: tokenizer and text encoder of one pipeline directory. Prompts are encoded
 * one at a time and without padding (but see {@link PipelineManifest#padToMaxTokens}), so that a
 * conditioning never depends on other requests. Used by one thread at a time.
 */
final class TextEncoder implements AutoCloseable {

  private final PipelineManifest manifest;
  private final Precision precision;
  private final PromptTokenizer tokenizer;
  private final TorchModule module;

  private TextEncoder(
      PipelineManifest manifest,
      Precision precision,
      PromptTokenizer tokenizer,
      TorchModule module) {
    this.manifest = manifest;
    this.precision = precision;
    this.tokenizer = tokenizer;
    this.module = module;
  }

  static TextEncoder load(PipelineDirectory directory, Precision precision, Device device)
      throws IOException {
    PipelineManifest manifest = directory.manifest();
    Path file = directory.file(Component.TEXT_ENCODER, precision).orElseThrow();
    PromptTokenizer tokenizer =
        PromptTokenizer.load(directory.path().resolve(manifest.tokenizer()), manifest.maxTokens());
    try {
      return new TextEncoder(manifest, precision, tokenizer, TorchModule.load(file, device));
    } catch (IOException | RuntimeException e) {
      tokenizer.close();
      throw e;
    }
  }

  String weightsDigest() {
    return manifest.weightsDigest();
  }

  /** Precision, tokenizer and length limit, in one word. */
  String settings() {
    return precision.word()
        + "/"
        + manifest.sha256().get(manifest.tokenizer())
        + "/"
        + manifest.maxTokens();
  }

  PromptTokens tokens(String prompt) {
    return tokenizer.encode(prompt);
  }

  /** Encodes a prompt; the result belongs to the manager. */
  Conditioning encode(PromptTokens tokens, NDManager owner) {
    int length = manifest.padToMaxTokens() ? manifest.maxTokens() : tokens.length();
    long[] ids = Arrays.copyOf(tokens.ids(), length);
    float[] mask = new float[length];
    Arrays.fill(mask, 0, tokens.length(), 1);
    try (NDManager step = owner.newSubManager()) {
      Shape shape = new Shape(1, length);
      NDArray output = module.run(step, step.create(ids, shape), step.create(mask, shape));
      Shape made = output.getShape();
      if (made.dimension() != 3 || made.get(0) != 1 || made.get(1) != length) {
        throw new IllegalStateException(
            "the text encoder made " + made + " of " + length + " tokens: must be [1, L, D]");
      }
      NDArray values = output.squeeze(0);
      values.attach(owner);
      return new Conditioning(values, tokens.length());
    }
  }

  /** Arrays that it holds on the device between two calls. */
  int arrays() {
    return module.arrays();
  }

  @Override
  public void close() {
    module.close();
    tokenizer.close();
  }
}
