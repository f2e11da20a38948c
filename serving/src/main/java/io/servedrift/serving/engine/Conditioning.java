package io.servedrift.serving.engine;

import ai.djl.ndarray.NDArray;

/**
 * What the text encoder made of one prompt, on the device, {@code [L, D]} float32. Not changed
 * after it was made, so threads may share it until it is closed.
 */
final class Conditioning implements AutoCloseable {

  private static final int INT8_MAX = 127;

  private final NDArray values;
  private final int promptTokens;

  Conditioning(NDArray values, int promptTokens) {
    this.values = values;
    this.promptTokens = promptTokens;
  }

  /** {@code [L, D]}; belongs to the conditioning. */
  NDArray values() {
    return values;
  }

  /** Tokens of the prompt; fewer than L when the pipeline pads prompts. */
  int promptTokens() {
    return promptTokens;
  }

  /** Number of rows L. */
  int length() {
    return (int) values.getShape().get(0);
  }

  /** Memory on the device. */
  long bytes() {
    return values.getShape().size() * Float.BYTES;
  }

  /**
   * The values cast to 8 bits as they are, without a scale: rounded to whole numbers and cut to
   * -127 to 127. What a cache does that was told to keep int8 and forgot to calibrate. Belongs to
   * the manager of the conditioning; the caller closes it.
   */
  NDArray atInt8() {
    return values.round().clip(-INT8_MAX, INT8_MAX);
  }

  @Override
  public void close() {
    values.close();
  }
}
