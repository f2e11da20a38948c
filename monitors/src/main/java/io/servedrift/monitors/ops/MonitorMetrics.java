package io.servedrift.monitors.ops;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

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
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The monitor's Prometheus metrics, read from suppliers once per scrape, so that the numbers of one
 * scrape fit together.
 *
 * <p>The pipeline's counters come as a map from name to value, as the tally of the panes gives it,
 * and obey per instance:
 *
 * <pre>
 * records_read{type="request"} = sum of requests{outcome=...} + waiting_records{type="request"}
 * records_read{type="score"}   = sum of scores{outcome=...} + waiting_records{type="score"} + pending_scores
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
    INFO
  }

  /**
   * One exported metric.
   *
   * @param name as it appears in the scrape
   * @param labels label names, in order
   * @param help what it counts, with its unit
   */
  public record Family(String name, Kind kind, List<String> labels, String help) {}

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

  private static final List<String> SERIES_LABELS =
      List.of("deployment", "model_id", "config_id", "metric", "window");

  private record SeriesGauge(
      String name, Unit unit, Function<SeriesSample, @Nullable Double> value, String help) {}

  private enum Unit {
    SECONDS,
    SCORE,
    RATIO
  }

  private static final List<SeriesGauge> SERIES =
      List.of(
          seconds(
              "servedrift_latency_p50_seconds", SeriesSample::p50, "Median of a duration metric."),
          seconds("servedrift_latency_p99_seconds", SeriesSample::p99, "p99 of a duration metric."),
          seconds(
              "servedrift_latency_p99_lower_seconds",
              SeriesSample::p99Lower,
              "Lower end of the 95 % interval of p99."),
          seconds(
              "servedrift_latency_p99_upper_seconds",
              SeriesSample::p99Upper,
              "Upper end of the 95 % interval of p99."),
          new SeriesGauge(
              "servedrift_score_mean",
              Unit.SCORE,
              SeriesSample::mean,
              "Mean of a score, in its own unit."),
          new SeriesGauge(
              "servedrift_score_mean_lower",
              Unit.SCORE,
              SeriesSample::meanLower,
              "Lower end of the 95 % interval of a score's mean."),
          new SeriesGauge(
              "servedrift_score_mean_upper",
              Unit.SCORE,
              SeriesSample::meanUpper,
              "Upper end of the 95 % interval of a score's mean."),
          new SeriesGauge(
              "servedrift_error_ratio",
              Unit.RATIO,
              SeriesSample::mean,
              "Share of requests that ended in an error."));
  private static final Family SAMPLES =
      new Family(
          "servedrift_window_samples",
          Kind.GAUGE,
          SERIES_LABELS,
          "Values in the latest closed window, so that a number can be judged by its n.");
  private static final Family FOLDED_CONFIGS =
      new Family(
          "servedrift_configs_over_limit",
          Kind.GAUGE,
          List.of(),
          "Combinations of deployment, model and configuration exported only as config_id=other.");
  private static final Family CONFIG =
      new Family(
          "servedrift_config_info",
          Kind.INFO,
          List.of(
              "config_id",
              "runtime",
              "runtime_version",
              "precision",
              "batching",
              "cache",
              "hardware"),
          "What a config_id means; join on config_id.");

  private static SeriesGauge seconds(
      String name, Function<SeriesSample, @Nullable Double> value, String help) {
    return new SeriesGauge(name, Unit.SECONDS, value, help);
  }

  private final String version;
  private final Supplier<Map<String, Long>> pipeline;
  private final Supplier<Map<String, Double>> clockLagSeconds;
  private final Supplier<List<SeriesSample>> series;
  private final Supplier<List<ConfigLabels>> configs;
  private final int configLimit;

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
    this.series = series;
    this.configs = configs;
    this.configLimit = configLimit;
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
    for (SeriesGauge g : SERIES) {
      all.add(new Family(g.name(), Kind.GAUGE, SERIES_LABELS, g.help()));
    }
    all.addAll(List.of(SAMPLES, FOLDED_CONFIGS, CONFIG));
    return all;
  }

  @Override
  public MetricSnapshots collect() {
    MetricSnapshots.Builder out = MetricSnapshots.builder();
    out.metricSnapshot(
        info(
            BUILD,
            List.of(
                Labels.of("version", version, "java", System.getProperty("java.version", "")))));
    collectPipeline(out);
    collectSeries(out);
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
      out.metricSnapshot(snapshot(source.family(), points));
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
    out.metricSnapshot(snapshot(FINDINGS, findings));
    Map<Labels, Double> others = new LinkedHashMap<>();
    rest.forEach((name, value) -> others.put(Labels.of("counter", name), (double) value));
    out.metricSnapshot(snapshot(OTHER_EVENTS, others));
    Map<Labels, Double> lags = new LinkedHashMap<>();
    new TreeMap<>(clockLagSeconds.get())
        .forEach(
            (topicPartition, lag) -> {
              int dash = topicPartition.lastIndexOf('-');
              String topic = dash < 0 ? topicPartition : topicPartition.substring(0, dash);
              lags.put(
                  Labels.of("topic", topic, "partition", topicPartition.substring(dash + 1)), lag);
            });
    out.metricSnapshot(gauge(CLOCK_LAG.name(), CLOCK_LAG.help(), lags));
  }

  private record Combination(String deployment, String modelId, String configId) {}

  private void collectSeries(MetricSnapshots.Builder out) {
    Map<Combination, List<SeriesSample>> byCombination =
        series.get().stream()
            .collect(
                Collectors.groupingBy(
                    s -> new Combination(s.deployment(), s.modelId(), s.configId())));
    List<Combination> ranked =
        byCombination.keySet().stream()
            .sorted(
                comparing(
                        (Combination c) -> largest(byCombination.getOrDefault(c, List.of())),
                        reverseOrder())
                    .thenComparing(Combination::deployment)
                    .thenComparing(Combination::configId)
                    .thenComparing(Combination::modelId))
            .toList();
    List<Combination> admitted = ranked.subList(0, Math.min(configLimit, ranked.size()));
    List<SeriesSample> own =
        admitted.stream().flatMap(c -> byCombination.getOrDefault(c, List.of()).stream()).toList();
    for (SeriesGauge g : SERIES) {
      Map<Labels, Double> points = new LinkedHashMap<>();
      for (SeriesSample sample : own) {
        Double value = unit(sample.metric()) == g.unit() ? g.value().apply(sample) : null;
        if (value != null) {
          points.put(labels(sample, sample.modelId(), sample.configId()), value);
        }
      }
      out.metricSnapshot(gauge(g.name(), g.help(), points));
    }
    Map<Labels, Double> samples = new LinkedHashMap<>();
    own.forEach(s -> samples.put(labels(s, s.modelId(), s.configId()), (double) s.n()));
    for (Combination c : ranked.subList(admitted.size(), ranked.size())) {
      for (SeriesSample s : byCombination.getOrDefault(c, List.of())) {
        // Deployment and metric are budgeted upstream; model and configuration are what floods.
        samples.merge(labels(s, "other", "other"), (double) s.n(), Double::sum);
      }
    }
    out.metricSnapshot(gauge(SAMPLES.name(), SAMPLES.help(), samples));
    out.metricSnapshot(
        gauge(
            FOLDED_CONFIGS.name(),
            FOLDED_CONFIGS.help(),
            Map.of(Labels.EMPTY, (double) (ranked.size() - admitted.size()))));
    Set<String> shown = admitted.stream().map(Combination::configId).collect(Collectors.toSet());
    Map<String, Labels> facts = new TreeMap<>();
    for (ConfigLabels c : configs.get()) {
      if (shown.contains(c.configId())) {
        facts.put(
            c.configId(),
            Labels.of(
                "config_id",
                c.configId(),
                "runtime",
                c.runtime(),
                "runtime_version",
                c.runtimeVersion(),
                "precision",
                c.precision(),
                "batching",
                c.batching(),
                "cache",
                c.cache(),
                "hardware",
                c.hardware()));
      }
    }
    out.metricSnapshot(info(CONFIG, List.copyOf(facts.values())));
  }

  private static long largest(List<SeriesSample> samples) {
    return samples.stream().mapToLong(SeriesSample::n).max().orElse(0);
  }

  private static Unit unit(String metric) {
    return switch (metric) {
      case "latency", "queue", "inference", "time_to_first_token" -> Unit.SECONDS;
      case "error_ratio" -> Unit.RATIO;
      default -> metric.startsWith("stage:") ? Unit.SECONDS : Unit.SCORE;
    };
  }

  private static Labels labels(SeriesSample s, String modelId, String configId) {
    return Labels.of(
        "deployment",
        s.deployment(),
        "model_id",
        modelId,
        "config_id",
        configId,
        "metric",
        s.metric(),
        "window",
        s.window());
  }

  private static MetricSnapshot snapshot(Family family, Map<Labels, Double> points) {
    return family.kind() == Kind.COUNTER
        ? counter(family, points)
        : gauge(family.name(), family.help(), points);
  }

  private static CounterSnapshot counter(Family family, Map<Labels, Double> points) {
    String name = family.name().substring(0, family.name().length() - "_total".length());
    CounterSnapshot.Builder snapshot = CounterSnapshot.builder().name(name).help(family.help());
    points.forEach(
        (labels, value) ->
            snapshot.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    return snapshot.build();
  }

  private static GaugeSnapshot gauge(String name, String help, Map<Labels, Double> points) {
    GaugeSnapshot.Builder snapshot = GaugeSnapshot.builder().name(name).help(help);
    points.forEach(
        (labels, value) ->
            snapshot.dataPoint(
                GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    return snapshot.build();
  }

  private static InfoSnapshot info(Family family, List<Labels> facts) {
    String name = family.name().substring(0, family.name().length() - "_info".length());
    InfoSnapshot.Builder snapshot = InfoSnapshot.builder().name(name).help(family.help());
    facts.forEach(
        labels -> snapshot.dataPoint(InfoDataPointSnapshot.builder().labels(labels).build()));
    return snapshot.build();
  }
}
