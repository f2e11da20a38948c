package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * End-to-end latency as a histogram: of the requests that this instance has counted, since it
 * started. Fed with panes as they close, so duplicates and late ones are not in it, and a scrape
 * costs nothing per request. A pane is added before its transaction is committed: what an aborted
 * one had closed is counted again, after a crash of a task up to a commit interval. Sum it over the
 * instances.
 *
 * <p>At most {@code configLimit} combinations of deployment, model and configuration have a
 * histogram of their own, first come, first served, since a counter must not change its meaning;
 * one that has been silent for a day makes room for a new one. The others share one per deployment,
 * {@code config_id="other"}, by the same rule and limit; what is left shares {@code
 * deployment="other"}. So there are never more than twice the limit and one. Thread-safe.
 */
public final class LatencyMetrics implements MultiCollector {
  private static final String OTHER = "other";
  private static final Duration IDLE = Duration.ofDays(1);
  private static final Family LATENCY =
      new Family(
          "servedrift_latency_seconds",
          Kind.HISTOGRAM,
          List.of("deployment", "model_id", "config_id", "metric"),
          "End-to-end latency of the requests that this instance counted, as their panes closed.");

  private final int configLimit;
  private final Map<Combination, LatencyHistogram> histograms = new LinkedHashMap<>();

  private record Combination(String deployment, String modelId, String configId) {
    static Combination shared(String deployment) {
      return new Combination(deployment, OTHER, OTHER);
    }

    boolean shared() {
      return modelId.equals(OTHER) && configId.equals(OTHER);
    }
  }

  /**
   * Without values.
   *
   * @param configLimit combinations with a histogram of their own, at least 1
   */
  public LatencyMetrics(int configLimit) {
    if (configLimit < 1) {
      throw new IllegalArgumentException(
          "metric config limit=" + configLimit + ": must be at least 1");
    }
    this.configLimit = configLimit;
  }

  /** Its family, for the documentation's table. */
  static List<Family> families() {
    return List.of(LATENCY);
  }

  /** Adds the requests of a pane that has closed. */
  public synchronized void add(LatencyPane pane) {
    histogram(pane).add(pane);
  }

  private LatencyHistogram histogram(LatencyPane pane) {
    Combination own = new Combination(pane.deployment(), pane.modelId(), pane.configId());
    Combination chosen =
        Stream.of(own, Combination.shared(pane.deployment()))
            .filter(one -> histograms.containsKey(one) || hasRoom(one.shared(), pane.end()))
            .findFirst()
            .orElse(Combination.shared(OTHER));
    return histograms.computeIfAbsent(chosen, c -> new LatencyHistogram());
  }

  private boolean hasRoom(boolean shared, Instant now) {
    long used = histograms.keySet().stream().filter(c -> c.shared() == shared).count();
    return used < configLimit || makeRoom(shared, now);
  }

  private boolean makeRoom(boolean shared, Instant now) {
    Instant idleBefore = now.minus(IDLE);
    return histograms.entrySet().stream()
        .filter(e -> e.getKey().shared() == shared && e.getValue().latest().isBefore(idleBefore))
        .map(Map.Entry::getKey)
        .findFirst()
        .map(idle -> histograms.remove(idle) != null)
        .orElse(false);
  }

  @Override
  public synchronized MetricSnapshots collect() {
    HistogramSnapshot.Builder snapshot =
        HistogramSnapshot.builder().name(LATENCY.name()).help(LATENCY.help());
    histograms.forEach(
        (combination, histogram) -> snapshot.dataPoint(histogram.snapshot(labels(combination))));
    return MetricSnapshots.of(snapshot.build());
  }

  private static Labels labels(Combination combination) {
    return Labels.of(
        "deployment",
        combination.deployment(),
        "model_id",
        combination.modelId(),
        "config_id",
        combination.configId(),
        "metric",
        "latency");
  }
}
