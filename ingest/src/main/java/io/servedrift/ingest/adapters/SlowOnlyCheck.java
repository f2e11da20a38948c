package io.servedrift.ingest.adapters;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognises a request log from which the fast requests were left out ({@code
 * SGLANG_LOG_REQUEST_EXCEEDED_MS}): means and percentiles of what is left describe nothing. The
 * filter drops the end of a request but not its beginning, and not its line in {@code
 * performance.log}. A filter that left neither trace cannot be seen. Not thread-safe.
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
    long missing = Math.max(unlogged, neverEnded());
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

  /** Requests that had time to end and did not. */
  private long neverEnded() {
    Instant end = last;
    if (end == null) {
      return 0;
    }
    Instant latest = end.minus(Duration.ofMillis((long) (Math.min(slowest, 86_400) * 1_000)));
    return open.values().stream().filter(at -> at.isBefore(latest)).count();
  }
}
