package io.servedrift.monitors.gate.run;

/** How an endpoint is asked and answers. Implementations are thread-safe. */
interface Dialect {
  /** How a prompt is asked. */
  enum Mode {
    /** No cache may take part, and nothing is left to chance that can be said. */
    CLEAN,
    /** As {@link #CLEAN}, but the cache as it comes. */
    CACHED,
    /** As production asks. */
    PRODUCTION
  }

  /**
   * The call for a prompt.
   *
   * @param seed from which everything random in the answer follows
   * @param requestId by which the endpoint's events know it
   */
  Call call(GatePrompt prompt, long seed, Mode mode, String requestId);

  /**
   * Reads a good reply.
   *
   * @param whole whether digest and output are wanted; else it is only checked that there is one
   */
  AnswerContent read(Reply reply, boolean whole);
}
