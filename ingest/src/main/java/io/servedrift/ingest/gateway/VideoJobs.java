package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queued videos whose end nobody has told yet. Bounded: one for which nobody has asked for an hour
 * is forgotten and counted as unfinished, as is the one that waited longest when there are too
 * many. Thread-safe.
 */
final class VideoJobs {

  static final int MAX = 4_096;
  static final Duration SILENCE = Duration.ofHours(1);

  private final GatewayCounts counts;
  private final LongSupplier nanos;

  /** In the order in which they were last asked for. */
  private final Map<String, VideoJob> waiting = new LinkedHashMap<>(16, 0.75f, true);

  VideoJobs(GatewayCounts counts, LongSupplier nanos) {
    this.counts = counts;
    this.nanos = nanos;
  }

  /** Waits for the end of a video. */
  synchronized void add(String id, VideoJob job) {
    expire();
    if (waiting.put(id, job) != null) {
      counts.add(Count.UNFINISHED);
    }
    if (waiting.size() > MAX) {
      forgetEldest();
    }
  }

  /** A poll found it unfinished at this moment; nothing happens when it is not known. */
  synchronized void unfinishedAt(String id, long pollNanos) {
    VideoJob job = waiting.get(id);
    if (job != null) {
      job.unfinishedAt(pollNanos);
    }
  }

  /** Takes out a video that has ended; null when it is not known, or was taken out before. */
  synchronized @Nullable VideoJob take(String id) {
    return waiting.remove(id);
  }

  /** How many are waited for now. */
  synchronized int size() {
    expire();
    return waiting.size();
  }

  /** Nobody will ask any more. */
  synchronized void close() {
    while (!waiting.isEmpty()) {
      forgetEldest();
    }
  }

  private void expire() {
    long before = nanos.getAsLong() - SILENCE.toNanos();
    while (!waiting.isEmpty() && waiting.values().iterator().next().askedAtNanos() - before < 0) {
      forgetEldest();
    }
  }

  private void forgetEldest() {
    Iterator<String> ids = waiting.keySet().iterator();
    ids.next();
    ids.remove();
    counts.add(Count.UNFINISHED);
  }
}
