package io.servedrift.serving.scheduler;

/** How requests share the denoiser. */
public enum BatchingMode {
  /** One request at a time, in batches of 1; nothing is preempted. */
  SINGLE("single"),
  /** Requests join and leave the batch between denoising steps. */
  CONTINUOUS("continuous");

  private final String word;

  BatchingMode(String word) {
    this.word = word;
  }

  /** Its name in settings and in the configuration ({@code batching.mode}). */
  public String word() {
    return word;
  }

  /**
   * The mode of that name.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static BatchingMode ofWord(String word) {
    for (BatchingMode mode : values()) {
      if (mode.word.equals(word)) {
        return mode;
      }
    }
    throw new IllegalArgumentException("mode=" + word + ": must be single or continuous");
  }
}
