package io.servedrift.serving.engine;

import java.util.Locale;

/** The arithmetic a module runs in, from the most exact to the least. */
public enum Precision {
  /** IEEE single precision. */
  FP32,
  /** bfloat16 weights and activations. */
  BF16,
  /**
   * Linear layers at int8 with activations quantised on the fly by one scale per tensor, so that on
   * a CPU a request's output depends on the requests that share its batch.
   */
  INT8;

  /** Its name in {@code pipeline.json} and in settings. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
