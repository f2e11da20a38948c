package io.servedrift.monitors.demo;

import io.servedrift.monitors.attribution.Cause;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What goes wrong in the second act, by the words of the node's {@code --faults}. */
public enum DemoFault {
  NONE(Story.SERVICE, "clip", null),
  CONDITIONING_KEY_COLLISION(Story.MIGRATION, "clip", Cause.CACHE),
  CACHED_CONDITIONING_PRECISION(Story.MIGRATION, "clip", Cause.CACHE),
  STALE_CACHE_AFTER_WEIGHTS(Story.SERVICE, "clip", Cause.CACHE),
  PADDING_IN_MIXED_BATCHES(Story.MIGRATION, "clip", Cause.BATCHING),
  /** The images stay what was asked for and get coarse: no matter of the prompt. */
  LARGE_BATCH_PRECISION(Story.MIGRATION, "aesthetic", Cause.BATCHING),
  /** This model's text encoder is small: a miss costs a millisecond or two, seen in its stage. */
  EVICTION_STORM(Story.SERVICE, "stage:text_encode", Cause.CACHE),
  PREEMPTION_THRASH(Story.SERVICE, "latency", Cause.SCHEDULING),
  SLOW_NODE(Story.SERVICE, "latency", Cause.NODE);

  /** How a fault comes into the world. */
  public enum Story {
    /** With a new configuration, which is compared with the one before it. */
    MIGRATION,
    /** Into a configuration that has served well, which is compared with its own past. */
    SERVICE
  }

  private final Story story;
  private final String metric;
  private final @Nullable Cause right;

  DemoFault(Story story, String metric, @Nullable Cause right) {
    this.story = story;
    this.metric = metric;
    this.right = right;
  }

  /** Its name on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The story that it is told in. */
  public Story story() {
    return story;
  }

  /** The metric in which users or operators notice it. */
  public String metric() {
    return metric;
  }

  /** What a finding about it is to be charged to; empty without a fault. */
  public Optional<Cause> rightCause() {
    return Optional.ofNullable(right);
  }

  /** How many nodes serve: a slow one is slow beside another. */
  public int nodes() {
    return this == SLOW_NODE ? 2 : 1;
  }

  /**
   * Share of the requests with a prompt that comes again and again: an eviction storm harms a cache
   * that is hit by most.
   */
  public double popularShare() {
    return this == EVICTION_STORM ? .9 : .6;
  }

  /**
   * Clients of a quiet time. Padding harms every batch of two and more: only requests that ran
   * alone tell that it is the batch, and one client is always alone.
   */
  public int quietClients() {
    return this == PADDING_IN_MIXED_BATCHES ? 1 : 3;
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
