package io.servedrift.ingest.gateway;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * What passed the gateway since its start. Of the measured requests
 *
 * <pre>
 * measured = handed_over + refused + unfinished + measuring_dropped + unpublishable + running
 *            + videos
 * </pre>
 *
 * <p>where {@code running} are those not yet measured to their end, and {@code videos} the queued
 * ones whose end is awaited; none of either are left some seconds after the gateway is closed.
 * Thread-safe.
 */
public final class GatewayCounts {

  /** What is counted. */
  public enum Count {
    /** Requests that passed without being measured. */
    PASSED,
    /** Requests that were to be measured. */
    MEASURED,
    /** Requests of which an event was handed to the publisher. */
    HANDED_OVER,
    /** Requests the runtime refused as the client's mistake (4xx but 408 and 429). */
    REFUSED,
    /**
     * Requests whose answer promised a result, a queued video, or could not be understood as the
     * end of one, and whose end or duration nobody told.
     */
    UNFINISHED,
    /**
     * Requests that were not measured because the measuring could not keep up, or because the
     * gateway ended first.
     */
    MEASURING_DROPPED,
    /** Requests that made no valid event, or whose event the publisher dropped at once. */
    UNPUBLISHABLE,
    /** Requests whose client left first. */
    CANCELLED,
    /** Requests whose upstream could not be reached, broke off or was silent for too long. */
    UPSTREAM_FAILED,
    /** Request bodies that were too large to be read, or compressed, or not JSON. */
    REQUEST_UNREAD,
    /** Answers that were too large to be read, or compressed, or not JSON. */
    ANSWER_UNREAD,
    /**
     * Polls of queued videos whose answer could not be read: compressed, above 64 KiB, not JSON.
     */
    POLL_UNREAD,
    /**
     * Those of the unread bodies that were small enough, but for which there was no room: more is
     * served than can be read.
     */
    BODIES_SHED,
    /** Values of an answer that were left out because they contradict each other or the schema. */
    VALUES_LEFT_OUT,
    /** Images put into the scorer's queue. */
    SCORER_SENT,
    /**
     * Images that were to be scored and were not: queue full, too large, scorer away or refusing.
     */
    SCORER_DROPPED,
    /** Canary prompts sent. */
    CANARY_SENT,
    /** Canary prompts that got no usable answer. */
    CANARY_FAILED,
    /** Looks at the upstream's configuration that found one. */
    CONFIG_READ,
    /** Looks that found none: the upstream has no such endpoint, or did not answer. */
    CONFIG_UNREAD,
    /** Changes of the configuration that made no valid event. */
    UNPUBLISHABLE_CONFIG;

    /** The word used in metrics. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

  GatewayCounts() {
    for (Count what : Count.values()) {
      counts.put(what, new LongAdder());
    }
  }

  private LongAdder counter(Count what) {
    return Objects.requireNonNull(counts.get(what));
  }

  void add(Count what) {
    counter(what).increment();
  }

  /** The count now. */
  public long get(Count what) {
    return counter(what).sum();
  }

  /** All counts by word. */
  public Map<String, Long> snapshot() {
    Map<String, Long> snapshot = new LinkedHashMap<>();
    for (Count what : Count.values()) {
      snapshot.put(what.word(), get(what));
    }
    return snapshot;
  }
}
