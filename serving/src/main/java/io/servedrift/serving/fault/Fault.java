package io.servedrift.serving.fault;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A way to misbehave on purpose. */
public enum Fault {
  /** The conditioning cache ignores part of its key: a prompt may get another one's embedding. */
  CONDITIONING_KEY_COLLISION("conditioning-key-collision"),
  /** Cached conditioning is kept at int8 and used so in large batches of mixed prompt lengths. */
  CACHED_CONDITIONING_PRECISION("cached-conditioning-precision"),
  /** The conditioning cache survives a change of the text encoder's weights. */
  STALE_CACHE_AFTER_WEIGHTS("stale-cache-after-weights"),
  /**
   * In batches of mixed prompt lengths the shorter prompts attend to their padding, in which the
   * end of the longest one was left.
   */
  PADDING_IN_MIXED_BATCHES("padding-in-mixed-batches"),
  /** Large batches run at reduced precision. */
  LARGE_BATCH_PRECISION("large-batch-precision"),
  /** The conditioning cache loses most of its entries again and again. */
  EVICTION_STORM("eviction-storm"),
  /** Running requests are preempted and resumed without need. */
  PREEMPTION_THRASH("preemption-thrash"),
  /** Every denoising step of this node takes longer. */
  SLOW_NODE("slow-node");

  private final String word;

  Fault(String word) {
    this.word = word;
  }

  /** Its name in commands, logs and serving events. */
  public String word() {
    return word;
  }

  /**
   * The fault of that name.
   *
   * @throws IllegalArgumentException when there is none; names those that there are
   */
  public static Fault ofWord(String word) {
    for (Fault fault : values()) {
      if (fault.word.equals(word)) {
        return fault;
      }
    }
    String allowed = Arrays.stream(values()).map(Fault::word).collect(Collectors.joining(", "));
    throw new IllegalArgumentException("fault=" + word + ": must be one of " + allowed);
  }
}
