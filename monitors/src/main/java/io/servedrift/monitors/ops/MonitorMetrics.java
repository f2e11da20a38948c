package io.servedrift.monitors.ops;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The monitor's Prometheus metrics, read from suppliers once per scrape, so that the numbers of one
 * scrape fit together.
 *
 * <p>The pipeline's counters come as a map from name to value, as the tally of the panes gives it,
 * and obey per instance:
 *
 * <pre>
 * records_read + records_taken_over{type="request"} =
 *     sum of requests{outcome=...} + waiting_records{type="request"} + records_handed_over{type="request"}
 * records_read + records_taken_over{type="score"} =
 *     sum of scores{outcome=...} + waiting_records{type="score"} + pending_scores + records_handed_over{type="score"}
 * </pre>
 *
 * {@code conflicting_requests} are among the duplicates; unknown fields, cache conflicts, refused
 * and folded values are properties of accepted records; what is late is listed as a correction. A
 * counter without a label starts at 0, so that a rate over it exists from the start; a counter that
 * no metric names is exported under its own name in {@code servedrift_other_events_total}, so none
 * vanishes.
 *
 * <p>Series gauges show the latest closed window of the first window length. A number that is not
 * known is absent, never 0. At most {@code configLimit} combinations of deployment, model and
 * configuration get series of their own, those with the most values in their latest window; the
 * samples of the others are summed under {@code config_id="other"}.
 *
 * <p>Thread-safe if the suppliers are.
 */
public final class MonitorMetrics implements MultiCollector {
  /** Default of {@code SERVEDRIFT_METRIC_CONFIG_LIMIT}. */
  public static final int DEFAULT_CONFIG_LIMIT = 50;

  private static final String SEPARATOR = "\u001f";

  /**
   * Name of the counter of findings of one kind.
   *
   * @param metric what shifted
   * @param severity page, ticket or info
   * @param cause of the verdict
   * @param state open, closed or accepted
   */
  public static String findingCounter(String metric, String severity, String cause, String state) {
    return String.join(SEPARATOR, "finding", metric, severity, cause, state);
  }

  /** What kind of number a family holds. */
  public enum Kind {
    /** Only grows; exported with the suffix {@code _total}. */
    COUNTER,
    /** Goes up and down. */
    GAUGE,
    /** A fact in labels, value 1. */
    INFO,
    /** A distribution in buckets, classic and native. */
    HISTOGRAM
  }

  /**
   * One exported metric.
   *
   * @param name as it appears in the scrape
   * @param labels label names, in order
   * @param help what it counts, with its unit
   */
  public record Family(String name, Kind kind, List<String> labels, String help) {
    /** A counter or gauge with these values. */
    MetricSnapshot snapshot(Map<Labels, Double> points) {
      return kind == Kind.COUNTER ? counter(points) : gauge(points);
    }

    private CounterSnapshot counter(Map<Labels, Double> points) {
      CounterSnapshot.Builder snapshot =
          CounterSnapshot.builder().name(name.substring(0, name.length() - "_total".length()));
      points.forEach(
          (labels, value) ->
              snapshot.dataPoint(
                  CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
      return snapshot.help(help).build();
    }

    private GaugeSnapshot gauge(Map<Labels, Double> points) {
      GaugeSnapshot.Builder snapshot = GaugeSnapshot.builder().name(name);
      points.forEach(
          (labels, value) ->
              snapshot.dataPoint(
                  GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
      return snapshot.help(help).build();
    }

    /** These facts. */
    InfoSnapshot info(List<Labels> facts) {
      InfoSnapshot.Builder snapshot =
          InfoSnapshot.builder().name(name.substring(0, name.length() - "_info".length()));
      facts.forEach(
          labels -> snapshot.dataPoint(InfoDataPointSnapshot.builder().labels(labels).build()));
      return snapshot.help(help).build();
    }
  }

  /**
   * A family fed by the pipeline's counters: label value by counter name, or every counter with a
   * prefix.
   */
  private record PipelineFamily(
      Family family, Map<String, String> counters, @Nullable String prefix) {
    @Nullable String labelValue(String counter) {
      String value = counters.get(counter);
      if (value == null && prefix != null && counter.startsWith(prefix)) {
        return counter.substring(prefix.length());
      }
      return value;
    }
  }

  private static PipelineFamily plain(String name, String counter, String help) {
    return new PipelineFamily(
        new Family(name, Kind.COUNTER, List.of(), help), Map.of(counter, ""), null);
  }

  private static PipelineFamily prefixed(String name, String label, String prefix, String help) {
    return new PipelineFamily(
        new Family(name, Kind.COUNTER, List.of(label), help), Map.of(), prefix);
  }

  private static PipelineFamily labelled(
      String name, Kind kind, String label, Map<String, String> counters, String help) {
    return new PipelineFamily(new Family(name, kind, List.of(label), help), counters, null);
  }

  private static final List<PipelineFamily> PIPELINE =
      List.of(
          labelled(
              "servedrift_records_read_total",
              Kind.COUNTER,
              "type",
              Map.of(
                  "requests_read",
                  "request",
                  "scores_read",
                  "score",
                  "serving_events",
                  "serving_event",
                  "heartbeats",
                  "heartbeat",
                  "ticks",
                  "tick",
                  "decisions",
                  "decision"),
              "Records read from the input topics, by type."),
          labelled(
              "servedrift_records_taken_over_total",
              Kind.COUNTER,
              "type",
              Map.of("requests_taken_over", "request", "scores_taken_over", "score"),
              "Records that were waiting in partitions when this instance took them, read by the"
                  + " owner before."),
          labelled(
              "servedrift_records_handed_over_total",
              Kind.COUNTER,
              "type",
              Map.of("requests_handed_over", "request", "scores_handed_over", "score"),
              "Records that were waiting in partitions when this instance gave them up."),
          labelled(
              "servedrift_requests_total",
              Kind.COUNTER,
              "outcome",
              Map.of(
                  "requests_accepted",
                  "accepted",
                  "duplicates",
                  "duplicate",
                  "late_requests",
                  "late",
                  "synthetic",
                  "synthetic",
                  "requests_rejected",
                  "rejected"),
              "What became of the requests read."),
          labelled(
              "servedrift_scores_total",
              Kind.COUNTER,
              "outcome",
              Map.of(
                  "scores_joined",
                  "joined",
                  "scores_repeated",
                  "repeated",
                  "scores_unused",
                  "unused",
                  "late_scores",
                  "late",
                  "scores_rejected",
                  "rejected",
                  "scores_unmatched",
                  "unmatched"),
              "What became of the late scores read; unused ones belong to requests that failed or"
                  + " are synthetic."),
          plain(
              "servedrift_conflicting_requests_total",
              "conflicts",
              "Repeats of a request that differ from the record that counted; among the"
                  + " duplicates."),
          prefixed(
              "servedrift_dead_letters_total",
              "reason",
              "dead_letters_",
              "Records that could not be used."),
          plain(
              "servedrift_unknown_fields_total",
              "unknown_fields",
              "Fields of accepted records that no schema names."),
          plain(
              "servedrift_cache_conflicts_total",
              "cache_conflicts",
              "Accepted requests whose plain cache flag contradicts the typed members."),
          plain(
              "servedrift_refused_values_total",
              "values_refused",
              "Scores of accepted requests outside what can be counted."),
          prefixed(
              "servedrift_folded_values_total",
              "budget",
              "folded_",
              "Values counted as 'other' because a budget was full, by covariate or budget."),
          plain(
              "servedrift_forgotten_requests_total",
              "forgotten_early",
              "Requests forgotten before the horizon because too many were remembered: repeats of"
                  + " them count."),
          plain(
              "servedrift_tick_interruptions_total",
              "tick_interruptions",
              "Records that passed without a tick because too many waited for the next one."),
          labelled(
              "servedrift_panes_closed_total",
              Kind.COUNTER,
              "kind",
              Map.of("latency_panes", "latency", "score_panes", "score"),
              "Partial panes closed by stage 1."),
          plain("servedrift_panes_merged_total", "panes_merged", "Panes merged by stage 2."),
          plain(
              "servedrift_late_pane_parts_total",
              "pane_parts_after_merge",
              "Parts of a pane that came after it was merged; more than 0 is a defect."),
          plain(
              "servedrift_judge_failures_total",
              "judge_failures",
              "Steps on which the judge failed, and its deployment began anew; more than 0 is a"
                  + " defect."),
          plain(
              "servedrift_windows_closed_total",
              "windows_closed",
              "Windows closed, of all series and lengths."),
          prefixed(
              "servedrift_read_model_ignored_total",
              "reason",
              "read_model_ignored_",
              "Records of the output topics that the API and the page leave out."),
          prefixed(
              "servedrift_read_model_evicted_total",
              "kind",
              "read_model_evicted_",
              "Windows, whole series and serving events that the API and the page let go for lack"
                  + " of room."),
          plain(
              "servedrift_stores_restored_total",
              "stores_restored",
              "State stores that came back from their changelogs."),
          plain(
              "servedrift_restored_records_total",
              "store_records_restored",
              "Records that came back from the changelogs of state stores."),
          new PipelineFamily(
              new Family(
                  "servedrift_restoring_stores",
                  Kind.GAUGE,
                  List.of(),
                  "State stores that are coming back; their partitions are not read yet."),
              Map.of("stores_restoring", ""),
              null),
          labelled(
              "servedrift_waiting_records",
              Kind.GAUGE,
              "type",
              Map.of("requests_waiting", "request", "scores_waiting", "score"),
              "Records ahead of their partition's clock, waiting for its next tick."),
          new PipelineFamily(
              new Family(
                  "servedrift_pending_scores",
                  Kind.GAUGE,
                  List.of(),
                  "Scores that wait for their request."),
              Map.of("scores_pending", ""),
              null));
  private static final Family OTHER_EVENTS =
      new Family(
          "servedrift_other_events_total",
          Kind.COUNTER,
          List.of("counter"),
          "Pipeline counters without a metric of their own.");

  private static final String FINDING_PREFIX = "finding" + SEPARATOR;

  private static final Family FINDINGS =
      new Family(
          "servedrift_findings_total",
          Kind.COUNTER,
          List.of("metric", "severity", "cause", "state"),
          "Findings written: one when it opens, when its verdict changes, and when it closes.");

  private static final Family BUILD =
      new Family(
          "servedrift_build_info", Kind.INFO, List.of("version", "java"), "The running build.");
  private static final Family CLOCK_LAG =
      new Family(
          "servedrift_partition_clock_lag_seconds",
          Kind.GAUGE,
          List.of("topic", "partition"),
          "How far a partition's event clock is behind the wall clock.");

  private final String version;
  private final Supplier<Map<String, Long>> pipeline;
  private final Supplier<Map<String, Double>> clockLagSeconds;
  private final SeriesMetrics series;

  /**
   * Metrics over these suppliers.
   *
   * @param version version of the build
   * @param pipeline counter to value, of this instance
   * @param clockLagSeconds {@code topic-partition} to lag in seconds
   * @param series latest closed window of each series
   * @param configs dictionary of configurations
   * @param configLimit combinations of deployment, model and configuration with series of their
   *     own, at least 1
   */
  public MonitorMetrics(
      String version,
      Supplier<Map<String, Long>> pipeline,
      Supplier<Map<String, Double>> clockLagSeconds,
      Supplier<List<SeriesSample>> series,
      Supplier<List<ConfigLabels>> configs,
      int configLimit) {
    if (configLimit < 1) {
      throw new IllegalArgumentException(
          "metric config limit=" + configLimit + ": must be at least 1");
    }
    this.version = version;
    this.pipeline = pipeline;
    this.clockLagSeconds = clockLagSeconds;
    this.series = new SeriesMetrics(series, configs, configLimit);
  }

  /** Registers these metrics and those of the JVM. */
  public void register(PrometheusRegistry registry) {
    registry.register(this);
    JvmMetrics.builder().register(registry);
  }

  /** Every metric of ours, in the order of the documentation's table. */
  public static List<Family> families() {
    List<Family> all = new ArrayList<>();
    all.add(BUILD);
    PIPELINE.forEach(p -> all.add(p.family()));
    all.addAll(List.of(FINDINGS, OTHER_EVENTS, CLOCK_LAG));
    all.addAll(SeriesMetrics.families());
    all.addAll(LatencyMetrics.families());
    all.addAll(ReadModelMetrics.families());
    all.addAll(StreamsMetrics.families());
    return all;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder out = MetricSnapshots.builder();
    out.metricSnapshot(
        BUILD.info(
            List.of(
                Labels.of("version", version, "java", System.getProperty("java.version", "")))));
    collectPipeline(out);
    series.collect(out);
    return out.build();
  }

  private void collectPipeline(MetricSnapshots.Builder out) {
    Map<String, Long> rest = new TreeMap<>(pipeline.get());
    for (PipelineFamily source : PIPELINE) {
      Map<Labels, Double> points = new LinkedHashMap<>();
      List<String> labels = source.family().labels();
      if (labels.isEmpty()) {
        points.put(Labels.EMPTY, 0.0);
      } else {
        source.counters().values().stream()
            .sorted()
            .forEach(v -> points.put(Labels.of(labels.get(0), v), 0.0));
      }
      for (var counters = rest.entrySet().iterator(); counters.hasNext(); ) {
        Map.Entry<String, Long> counter = counters.next();
        String value = source.labelValue(counter.getKey());
        if (value != null) {
          points.put(
              labels.isEmpty() ? Labels.EMPTY : Labels.of(labels.get(0), value),
              (double) counter.getValue());
          counters.remove();
        }
      }
      out.metricSnapshot(source.family().snapshot(points));
    }
    Map<Labels, Double> findings = new LinkedHashMap<>();
    for (var counters = rest.entrySet().iterator(); counters.hasNext(); ) {
      Map.Entry<String, Long> counter = counters.next();
      if (counter.getKey().startsWith(FINDING_PREFIX)) {
        String[] parts = counter.getKey().split(SEPARATOR, -1);
        findings.put(
            Labels.of(
                "metric", parts[1], "severity", parts[2], "cause", parts[3], "state", parts[4]),
            (double) counter.getValue());
        counters.remove();
      }
    }
    out.metricSnapshot(FINDINGS.snapshot(findings));
    Map<Labels, Double> others = new LinkedHashMap<>();
    rest.forEach((name, value) -> others.put(Labels.of("counter", name), (double) value));
    out.metricSnapshot(OTHER_EVENTS.snapshot(others));
    Map<Labels, Double> lags = new LinkedHashMap<>();
    new TreeMap<>(clockLagSeconds.get())
        .forEach(
            (topicPartition, lag) -> {
              int dash = topicPartition.lastIndexOf('-');
              String topic = dash < 0 ? topicPartition : topicPartition.substring(0, dash);
              lags.put(
                  Labels.of("topic", topic, "partition", topicPartition.substring(dash + 1)), lag);
            });
    out.metricSnapshot(CLOCK_LAG.snapshot(lags));
  }
}
