package io.servedrift.serving.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;

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

  /** Values per row D. */
  long width() {
    return values.getShape().get(1);
  }

  /** Memory on the device. */
  long bytes() {
    return values.getShape().size() * Float.BYTES;
  }

  /**
   * The values cast to 8 bits as they are, without a scale: rounded to whole numbers and cut to
   * -127 to 127. What a cache does that was told to keep int8 and forgot to calibrate.
   *
   * @param owner whose the result is
   */
  NDArray atInt8(NDManager owner) {
    // Results and the arrays made on the way belong to their input's manager, so that has to be one
    // that is closed.
    try (NDManager step = owner.newSubManager()) {
      NDArray reduced = copy(step).round().clip(-INT8_MAX, INT8_MAX);
      reduced.attach(owner);
      return reduced;
    }
  }

  /** The values in an array of its own. */
  NDArray copy(NDManager owner) {
    NDArray copy = values.duplicate();
    copy.attach(owner);
    return copy;
  }

  @Override
  public void close() {
    values.close();
  }
}
