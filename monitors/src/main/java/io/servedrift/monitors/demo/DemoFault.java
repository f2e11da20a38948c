package io.servedrift.monitors.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What goes wrong in the second act, by the words of the node's {@code --faults}. */
public enum DemoFault {
  NONE(false),
  CONDITIONING_KEY_COLLISION(false),
  CACHED_CONDITIONING_PRECISION(false),
  PADDING_IN_MIXED_BATCHES(false),
  LARGE_BATCH_PRECISION(false),
  EVICTION_STORM(true),
  PREEMPTION_THRASH(true),
  SLOW_NODE(true);

  private final boolean slow;

  DemoFault(boolean slow) {
    this.slow = slow;
  }

  /** Its name on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether users notice it by how long they wait, and not by what they get. */
  public boolean slow() {
    return slow;
  }

  /**
   * The fault of that name.
   *
   * @throws IllegalArgumentException when there is none; names those that there are
   */
  public static DemoFault ofWord(String word) {
    return Arrays.stream(values())
        .filter(fault -> fault.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be one of "
                        + Arrays.stream(values())
                            .map(DemoFault::word)
                            .collect(Collectors.joining(", "))));
  }
}
