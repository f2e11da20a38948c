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
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
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
 * <p>The pipeline's counters come as a map from counter to value ({@code duplicates}, or {@code
 * late.request} for a counter with a label) and obey one equation per instance:
 *
 * <pre>
 * records_read = records_accepted + duplicates + late + dead_letters + synthetic + waiting
 * </pre>
 *
 * {@code conflicts} are among the duplicates; {@code unknown_fields}, {@code cache_conflicts} and
 * {@code folded_values} count properties of accepted records; a late record is listed as a
 * correction. A counter that the pipeline does not report is exported as 0 when it has no label, so
 * that a rate over it exists from the start.
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

  private record PipelineCounter(String key, String name, @Nullable String label, String help) {}

  private static final List<PipelineCounter> PIPELINE =
      List.of(
          new PipelineCounter(
              "records_read",
              "servedrift_records_read_total",
              "type",
              "Records read from the input topics, by type."),
          new PipelineCounter(
              "records_accepted",
              "servedrift_records_accepted_total",
              null,
              "Records that were used."),
          new PipelineCounter(
              "duplicates",
              "servedrift_duplicate_records_total",
              null,
              "Repeats of a request already counted, left out."),
          new PipelineCounter(
              "conflicts",
              "servedrift_conflicting_records_total",
              null,
              "Repeats that differ from the record that counted; among the duplicates."),
          new PipelineCounter(
              "late",
              "servedrift_late_records_total",
              "kind",
              "Records that came after their pane had closed; listed as corrections."),
          new PipelineCounter(
              "dead_letters",
              "servedrift_dead_letters_total",
              "reason",
              "Records that could not be used."),
          new PipelineCounter(
              "synthetic",
              "servedrift_synthetic_records_total",
              null,
              "Gate and test traffic, kept out of live series."),
          new PipelineCounter(
              "scores_unmatched",
              "servedrift_unmatched_scores_total",
              null,
              "Scores whose request was not seen within the horizon."),
          new PipelineCounter(
              "unknown_fields",
              "servedrift_unknown_fields_total",
              null,
              "Fields of accepted records that no schema names."),
          new PipelineCounter(
              "cache_conflicts",
              "servedrift_cache_conflicts_total",
              null,
              "Accepted requests whose plain cache flag contradicts the typed members."),
          new PipelineCounter(
              "folded",
              "servedrift_folded_values_total",
              "covariate",
              "Values counted as 'other' because a budget was full."),
          new PipelineCounter(
              "tick_interruptions",
              "servedrift_tick_interruptions_total",
              null,
              "Times too many records waited for the next tick and the future rule was off until it came."),
          new PipelineCounter(
              "panes_closed", "servedrift_panes_closed_total", null, "Panes closed."),
          new PipelineCounter(
              "windows_closed",
              "servedrift_windows_closed_total",
              null,
              "Windows closed, of all series and lengths."));

  private static final Family BUILD =
      new Family(
          "servedrift_build_info", Kind.INFO, List.of("version", "java"), "The running build.");
  private static final Family WAITING =
      new Family(
          "servedrift_waiting_records",
          Kind.GAUGE,
          List.of(),
          "Records ahead of their partition's clock, waiting for its next tick.");
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
   * @param pipeline counter to value, summed over the partitions of this instance
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
    for (PipelineCounter c : PIPELINE) {
      all.add(
          new Family(
              c.name(),
              Kind.COUNTER,
              c.label() == null ? List.of() : List.of(c.label()),
              c.help()));
    }
    all.addAll(List.of(WAITING, CLOCK_LAG));
    for (SeriesGauge g : SERIES) {
      all.add(new Family(g.name(), Kind.GAUGE, SERIES_LABELS, g.help()));
    }
    all.addAll(List.of(SAMPLES, FOLDED_CONFIGS, CONFIG));
    return all;
  }

  /** Keys of the pipeline map that are understood: whole keys, or the part before the first dot. */
  public static Set<String> pipelineKeys() {
    Set<String> keys = PIPELINE.stream().map(PipelineCounter::key).collect(Collectors.toSet());
    keys.add("waiting");
    return keys;
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
    Map<String, Long> values = pipeline.get();
    Map<String, Map<String, Long>> byKey = new HashMap<>();
    values.forEach(
        (key, value) -> {
          int dot = key.indexOf('.');
          String name = dot < 0 ? key : key.substring(0, dot);
          String label = dot < 0 ? "" : key.substring(dot + 1);
          byKey.computeIfAbsent(name, k -> new TreeMap<>()).merge(label, value, Long::sum);
        });
    for (PipelineCounter counter : PIPELINE) {
      Map<String, Long> parts = byKey.getOrDefault(counter.key(), Map.of());
      CounterSnapshot.Builder snapshot =
          CounterSnapshot.builder()
              .name(counter.name().substring(0, counter.name().length() - "_total".length()))
              .help(counter.help());
      if (counter.label() == null) {
        long sum = parts.values().stream().mapToLong(Long::longValue).sum();
        snapshot.dataPoint(CounterDataPointSnapshot.builder().value((double) sum).build());
      } else {
        parts.forEach(
            (label, value) ->
                snapshot.dataPoint(
                    CounterDataPointSnapshot.builder()
                        .value(value)
                        .labels(Labels.of(counter.label(), label))
                        .build()));
      }
      out.metricSnapshot(snapshot.build());
    }
    out.metricSnapshot(
        gauge(
            WAITING.name(),
            WAITING.help(),
            Map.of(Labels.EMPTY, (double) values.getOrDefault("waiting", 0L))));
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
