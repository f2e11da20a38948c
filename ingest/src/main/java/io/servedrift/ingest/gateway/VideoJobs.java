package io.servedrift.ingest.gateway;

import io.servedrift.ingest.gateway.GatewayCounts.Count;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queued videos whose end nobody has told yet. Bounded in number and in bytes: one for which nobody
 * has asked for an hour is forgotten and counted as unfinished, as are those not asked for the
 * longest when there are too many. Thread-safe.
 */
final class VideoJobs implements AutoCloseable {

  static final int MAX = 4_096;

  /** What all of them may take, with what was known of the serving. */
  static final long MAX_BYTES = 32L << 20;

  static final Duration SILENCE = Duration.ofHours(1);

  /** JSON in memory takes several times its text. */
  private static final int BYTES_A_CHARACTER = 8;

  private final GatewayCounts counts;
  private final LongSupplier nanos;

  /** In the order in which they were last asked for. */
  private final Map<String, VideoJob> waiting = new LinkedHashMap<>(16, 0.75f, true);

  /** Most videos share what was known of the serving, so each is counted once. */
  private final IdentityHashMap<ServingIdentity.Known, Shared> shared = new IdentityHashMap<>();

  private long bytes;
  private boolean closed;

  /** How many share it, and the bytes it takes. */
  private record Shared(int by, long bytes) {}

  VideoJobs(GatewayCounts counts, LongSupplier nanos) {
    this.counts = counts;
    this.nanos = nanos;
  }

  /** Waits for the end of a video. */
  synchronized void add(VideoJob job) {
    if (closed) {
      counts.add(Count.UNFINISHED);
      return;
    }
    expire();
    String id = job.asked().id();
    if (take(id) != null) {
      counts.add(Count.UNFINISHED);
    }
    waiting.put(id, job);
    bytes += job.bytes();
    share(job.asked().known());
    while (waiting.size() > MAX || bytes > MAX_BYTES) {
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
    VideoJob job = waiting.remove(id);
    if (job != null) {
      bytes -= job.bytes();
      unshare(job.asked().known());
    }
    return job;
  }

  /** How many are waited for now. */
  synchronized int size() {
    expire();
    return waiting.size();
  }

  /** What they take now, bytes, estimated from above. */
  synchronized long bytes() {
    return bytes;
  }

  /** Nobody will ask any more; what is added from now on is unfinished at once. */
  @Override
  public synchronized void close() {
    closed = true;
    while (!waiting.isEmpty()) {
      forgetEldest();
    }
  }

  private void share(ServingIdentity.@Nullable Known known) {
    if (known == null) {
      return;
    }
    Shared before = shared.get(known);
    if (before == null) {
      long text = known.config().toString().length() + (long) known.model().toString().length();
      before = new Shared(0, text * BYTES_A_CHARACTER);
      bytes += before.bytes();
    }
    shared.put(known, new Shared(before.by() + 1, before.bytes()));
  }

  private void unshare(ServingIdentity.@Nullable Known known) {
    Shared before = known == null ? null : shared.get(known);
    if (known == null || before == null) {
      return;
    }
    if (before.by() > 1) {
      shared.put(known, new Shared(before.by() - 1, before.bytes()));
    } else {
      shared.remove(known);
      bytes -= before.bytes();
    }
  }

  private void expire() {
    long before = nanos.getAsLong() - SILENCE.toNanos();
    while (!waiting.isEmpty() && waiting.values().iterator().next().askedAtNanos() - before < 0) {
      forgetEldest();
    }
  }

  private void forgetEldest() {
    var unused = take(waiting.keySet().iterator().next());
    counts.add(Count.UNFINISHED);
  }
}
