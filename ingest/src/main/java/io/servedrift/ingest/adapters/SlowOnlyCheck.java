package io.servedrift.ingest.adapters;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognises a request log from which the fast requests were left out ({@code
 * SGLANG_LOG_REQUEST_EXCEEDED_MS}): means and percentiles of what is left describe nothing. The
 * filter drops the end of a request but not its beginning, and not its line in {@code
 * performance.log}. A server that dies leaves begun requests as well, but all at one moment: those
 * do not count. A filter that left neither trace cannot be seen. Not thread-safe.
 */
final class SlowOnlyCheck {
  private static final int MOST_OPEN = 100_000;
  private static final int LEAST_MISSING = 20;
  private static final double LEAST_SHARE = 0.2;

  private final Map<String, Instant> open = new LinkedHashMap<>();
  private long finished;
  private @Nullable Double fastest;
  private double slowest;
  private @Nullable Instant last;
  private boolean named;
  private long unendedBefore;

  /** A request began. */
  void received(String id, Instant at) {
    open.put(id, at);
    if (open.size() > MOST_OPEN) {
      var oldest = open.entrySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** A request ended. */
  void finished(String id, Instant at, @Nullable Double seconds) {
    open.remove(id);
    finished++;
    last = last == null || at.isAfter(last) ? at : last;
    if (seconds != null && seconds > 0) {
      fastest = fastest == null ? seconds : (Double) Math.min(fastest, seconds);
      slowest = Math.max(slowest, seconds);
    }
  }

  /** The server started anew: what was under way will not end, filter or not. */
  void restarted() {
    unendedBefore += neverEnded();
    open.clear();
  }

  /** The log itself shows that the filter was on. */
  void filterNamed() {
    named = true;
  }

  /** Seconds of the fastest request that ended, null when none told them. */
  @Nullable Double fastest() {
    return fastest;
  }

  /**
   * Refuses the log when it holds slow requests only.
   *
   * @param unlogged requests that another source knows and that were all faster than the fastest
   * @throws UnfitSourceException when it does
   */
  void require(int unlogged) throws UnfitSourceException {
    long missing = Math.max(unlogged, unendedBefore + neverEnded());
    boolean many = missing >= LEAST_MISSING && missing >= LEAST_SHARE * (missing + finished);
    if (named || (many && finished > 0 && fastest != null)) {
      throw new UnfitSourceException(
          "holds slow requests only"
              + (many
                  ? ": of "
                      + (missing + finished)
                      + " requests "
                      + missing
                      + " have no end in it, and none that has was faster than "
                      + fastest
                      + " s"
                  : "")
              + "; SGLANG_LOG_REQUEST_EXCEEDED_MS leaves the fast ones out, and what is left says"
              + " nothing of the traffic. Start the server without it");
    }
  }

  /**
   * Requests that had time to end and did not; 0 when most of them began within one span in which
   * requests can be under way together, since then they broke off together.
   */
  private long neverEnded() {
    Instant end = last;
    if (end == null) {
      return 0;
    }
    Duration span = Duration.ofMillis((long) (Math.min(slowest, 86_400) * 1_000));
    Instant latest = end.minus(span);
    List<Instant> begun =
        open.values().stream().filter(at -> at.isBefore(latest)).sorted().toList();
    return 2 * densest(begun, span) > begun.size() ? 0 : begun.size();
  }

  /** The most of the times, in order, that lie within one span. */
  private static int densest(List<Instant> times, Duration span) {
    int most = 0;
    int first = 0;
    for (int i = 0; i < times.size(); i++) {
      while (times.get(first).plus(span).isBefore(times.get(i))) {
        first++;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }
}
