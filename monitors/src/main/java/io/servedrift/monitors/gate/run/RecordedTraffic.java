package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.RegimeCell;
import io.servedrift.monitors.gate.TrafficProfile;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Live traffic as the gate replays it. Immutable.
 *
 * @param profile what it looks like, for coverage
 * @param gapsSeconds between arrivals, in order; empty when fewer than two requests are known
 * @param peakPerSecond arrivals per second in its busiest minute; null when it is shorter than a
 *     minute, for a few requests that come together are no rate
 * @param concurrency requests in flight on average; null when latencies are not known
 */
public record RecordedTraffic(
    TrafficProfile profile,
    List<Double> gapsSeconds,
    @Nullable Double peakPerSecond,
    @Nullable Double concurrency) {
  public RecordedTraffic {
    gapsSeconds = List.copyOf(gapsSeconds);
  }

  /** The gaps as an array. */
  double[] gaps() {
    return gapsSeconds.stream().mapToDouble(gap -> gap).toArray();
  }

  /** Collects requests in the order of their ends. Not thread-safe. */
  public static final class Collector {
    private static final int MOST = 1_000_000;
    private static final long MINUTE_MICROS = 60_000_000L;
    private static final double MICROS = 1e6;
    private static final double MINUTE = 60;

    private final String source;
    private final List<Long> arrivals = new ArrayList<>();
    private final Map<RegimeCell, Long> cells = new HashMap<>();
    private final Map<String, Long> classes = new TreeMap<>();
    private final Set<String> prompts = new HashSet<>();
    private long repeated;
    private long withPrompt;
    private double busySeconds;

    /**
     * Of a source.
     *
     * @param source where the traffic is read, for people
     */
    public Collector(String source) {
      this.source = source;
    }

    /** Whether more would be kept. */
    public boolean isFull() {
      return arrivals.size() >= MOST;
    }

    /** Takes a request of live traffic; test traffic and what lies beyond a million is left out. */
    public void add(RequestEvent request) {
      if (Boolean.TRUE.equals(request.getSynthetic()) || isFull()) {
        return;
      }
      long finished = micros(request.getFinishedAt());
      Double latency = request.getLatencySeconds();
      long arrived =
          request.getArrivedAt() != null
              ? micros(request.getArrivedAt())
              : finished - Math.round(latency == null ? 0 : latency * MICROS);
      arrivals.add(arrived);
      busySeconds += latency == null ? (finished - arrived) / MICROS : latency;
      cells.merge(cell(request), 1L, Long::sum);
      if (request.getWorkload() != null) {
        String name = request.getWorkload().getPromptClass();
        classes.merge(name == null ? "" : name, 1L, Long::sum);
        String hash = request.getWorkload().getPromptHash();
        if (hash != null) {
          withPrompt++;
          repeated += prompts.add(hash) ? 0 : 1;
        }
      }
    }

    private static long micros(java.time.Instant at) {
      return java.time.temporal.ChronoUnit.MICROS.between(java.time.Instant.EPOCH, at);
    }

    private static RegimeCell cell(RequestEvent request) {
      BatchComposition batch = request.getBatch();
      CacheUse cache = request.getCache();
      Double size = batch == null ? null : batch.getSizeMean();
      Integer running = batch == null ? null : batch.getRunning();
      return RegimeCell.of(size, cache == null ? null : cache.getHit(), running);
    }

    /** What was collected. */
    public RecordedTraffic traffic() {
      List<Long> sorted = arrivals.stream().sorted().toList();
      List<Double> gaps = new ArrayList<>();
      for (int i = 1; i < sorted.size(); i++) {
        gaps.add((sorted.get(i) - sorted.get(i - 1)) / MICROS);
      }
      double seconds =
          sorted.isEmpty() ? 0 : (sorted.get(sorted.size() - 1) - sorted.get(0)) / MICROS;
      boolean spread = seconds > 0;
      TrafficProfile profile =
          new TrafficProfile(
              source, cells, classes, withPrompt == 0 ? 0 : (double) repeated / withPrompt);
      return new RecordedTraffic(
          profile,
          spread ? gaps : List.of(),
          seconds >= MINUTE ? peak(sorted) : null,
          spread && busySeconds > 0 ? busySeconds / seconds : null);
    }

    /** Arrivals in the fullest window of a minute, per second. */
    private static double peak(List<Long> sorted) {
      PriorityQueue<Long> window = new PriorityQueue<>();
      int most = 0;
      for (long at : sorted) {
        window.add(at);
        while (at - window.element() >= MINUTE_MICROS) {
          window.remove();
        }
        most = Math.max(most, window.size());
      }
      return most / MINUTE;
    }
  }
}
