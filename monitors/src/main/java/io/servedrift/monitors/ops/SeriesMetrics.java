package io.servedrift.monitors.ops;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import io.servedrift.monitors.ops.SeriesJudgement.Verdict;
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
 * The latest closed window of every series as gauges: value, interval, n, baseline, threshold and
 * verdict. One family per quantity, so units never mix; a number that is not known is absent, never
 * 0. At most {@code configLimit} combinations of deployment, model and configuration get series of
 * their own, those with the most values in their latest window; of the others only the samples are
 * summed, under {@code config_id="other"}. Thread-safe if the suppliers are.
 */
final class SeriesMetrics {
  private static final List<String> LABELS =
      List.of("deployment", "model_id", "config_id", "metric", "window");

  private enum Unit {
    SECONDS,
    SCORE,
    RATIO
  }

  private record SeriesGauge(
      Family family, Unit unit, Function<SeriesSample, @Nullable Double> value) {}

  private static final List<SeriesGauge> GAUGES =
      List.of(
          gauge(
              "servedrift_latency_p50_seconds",
              Unit.SECONDS,
              SeriesSample::p50,
              "Median of a duration metric."),
          gauge(
              "servedrift_latency_p99_seconds",
              Unit.SECONDS,
              SeriesSample::p99,
              "p99 of a duration metric."),
          gauge(
              "servedrift_latency_p99_lower_seconds",
              Unit.SECONDS,
              SeriesSample::p99Lower,
              "Lower end of the 95 % interval of p99."),
          gauge(
              "servedrift_latency_p99_upper_seconds",
              Unit.SECONDS,
              SeriesSample::p99Upper,
              "Upper end of the 95 % interval of p99."),
          gauge(
              "servedrift_latency_p99_baseline_seconds",
              Unit.SECONDS,
              judged(SeriesJudgement::baselineP99),
              "p99 of the baseline that the series is compared with."),
          gauge(
              "servedrift_latency_p99_threshold_seconds",
              Unit.SECONDS,
              judged(SeriesJudgement::p99Threshold),
              "p99 from which on a lasting shift counts, at the traffic of the baseline."),
          gauge(
              "servedrift_score_mean",
              Unit.SCORE,
              SeriesSample::mean,
              "Mean of a score, in its own unit."),
          gauge(
              "servedrift_score_mean_lower",
              Unit.SCORE,
              SeriesSample::meanLower,
              "Lower end of the 95 % interval of a score's mean."),
          gauge(
              "servedrift_score_mean_upper",
              Unit.SCORE,
              SeriesSample::meanUpper,
              "Upper end of the 95 % interval of a score's mean."),
          gauge(
              "servedrift_score_mean_baseline",
              Unit.SCORE,
              judged(SeriesJudgement::baselineMean),
              "Mean of the baseline that the score is compared with."),
          gauge(
              "servedrift_score_mean_threshold",
              Unit.SCORE,
              judged(SeriesJudgement::meanThreshold),
              "Mean from which on a lasting shift of the score counts, at the traffic of the"
                  + " baseline."),
          gauge(
              "servedrift_error_ratio",
              Unit.RATIO,
              SeriesSample::mean,
              "Share of requests that ended in an error."),
          gauge(
              "servedrift_error_ratio_lower",
              Unit.RATIO,
              SeriesSample::meanLower,
              "Lower end of the 95 % interval of the error ratio."),
          gauge(
              "servedrift_error_ratio_upper",
              Unit.RATIO,
              SeriesSample::meanUpper,
              "Upper end of the 95 % interval of the error ratio."),
          gauge(
              "servedrift_error_ratio_baseline",
              Unit.RATIO,
              judged(SeriesJudgement::baselineMean),
              "Error ratio of the baseline."),
          gauge(
              "servedrift_error_ratio_threshold",
              Unit.RATIO,
              judged(SeriesJudgement::meanThreshold),
              "Error ratio from which on a lasting rise counts."));
  private static final Family SAMPLES =
      new Family(
          "servedrift_window_samples",
          Kind.GAUGE,
          LABELS,
          "Values in the latest closed window, so that a number can be judged by its n.");
  private static final Family WINDOW_END =
      new Family(
          "servedrift_window_end_timestamp_seconds",
          Kind.GAUGE,
          LABELS,
          "End of the latest closed window with values, event time: how old the numbers are.");
  private static final Family VERDICT =
      new Family(
          "servedrift_verdict",
          Kind.GAUGE,
          List.of("deployment", "model_id", "config_id", "metric", "window", "verdict"),
          "1 for how the series stands, 0 for the others: pass, drift (a finding for the worse is"
              + " open), insufficient (no baseline yet, or fewer than two values). Absent on"
              + " instances that do not judge the deployment.");
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

  private static SeriesGauge gauge(
      String name, Unit unit, Function<SeriesSample, @Nullable Double> value, String help) {
    return new SeriesGauge(new Family(name, Kind.GAUGE, LABELS, help), unit, value);
  }

  private static Function<SeriesSample, @Nullable Double> judged(
      Function<SeriesJudgement, @Nullable Double> value) {
    return sample -> sample.judgement() == null ? null : value.apply(sample.judgement());
  }

  private record Combination(String deployment, String modelId, String configId) {}

  private final Supplier<List<SeriesSample>> series;
  private final Supplier<List<ConfigLabels>> configs;
  private final int configLimit;

  SeriesMetrics(
      Supplier<List<SeriesSample>> series, Supplier<List<ConfigLabels>> configs, int configLimit) {
    this.series = series;
    this.configs = configs;
    this.configLimit = configLimit;
  }

  /** Its families, in the order of the documentation's table. */
  static List<Family> families() {
    List<Family> all = new ArrayList<>();
    GAUGES.forEach(g -> all.add(g.family()));
    all.addAll(List.of(SAMPLES, WINDOW_END, VERDICT, FOLDED_CONFIGS, CONFIG));
    return all;
  }

  void collect(MetricSnapshots.Builder out) {
    Map<Combination, List<SeriesSample>> byCombination =
        series.get().stream()
            .collect(
                Collectors.groupingBy(
                    s -> new Combination(s.deployment(), s.modelId(), s.configId())));
    List<Combination> ranked = ranked(byCombination);
    List<Combination> admitted = ranked.subList(0, Math.min(configLimit, ranked.size()));
    List<SeriesSample> own =
        admitted.stream().flatMap(c -> byCombination.getOrDefault(c, List.of()).stream()).toList();
    List<SeriesSample> folded =
        ranked.subList(admitted.size(), ranked.size()).stream()
            .flatMap(c -> byCombination.getOrDefault(c, List.of()).stream())
            .toList();
    collectGauges(own, out);
    collectSamples(own, folded, out);
    collectVerdicts(own, out);
    out.metricSnapshot(
        FOLDED_CONFIGS.snapshot(Map.of(Labels.EMPTY, (double) (ranked.size() - admitted.size()))));
    collectConfigs(admitted.stream().map(Combination::configId).collect(Collectors.toSet()), out);
  }

  private static List<Combination> ranked(Map<Combination, List<SeriesSample>> samples) {
    return samples.keySet().stream()
        .sorted(
            comparing(
                    (Combination c) -> largest(samples.getOrDefault(c, List.of())), reverseOrder())
                .thenComparing(Combination::deployment)
                .thenComparing(Combination::configId)
                .thenComparing(Combination::modelId))
        .toList();
  }

  private static long largest(List<SeriesSample> samples) {
    return samples.stream().mapToLong(SeriesSample::n).max().orElse(0);
  }

  private static void collectGauges(List<SeriesSample> own, MetricSnapshots.Builder out) {
    for (SeriesGauge gauge : GAUGES) {
      Map<Labels, Double> points = new LinkedHashMap<>();
      for (SeriesSample sample : own) {
        Double value = unit(sample.metric()) == gauge.unit() ? gauge.value().apply(sample) : null;
        if (value != null) {
          points.put(labels(sample), value);
        }
      }
      out.metricSnapshot(gauge.family().snapshot(points));
    }
  }

  private static void collectSamples(
      List<SeriesSample> own, List<SeriesSample> folded, MetricSnapshots.Builder out) {
    Map<Labels, Double> samples = new LinkedHashMap<>();
    Map<Labels, Double> ends = new LinkedHashMap<>();
    for (SeriesSample one : own) {
      samples.put(labels(one), (double) one.n());
      ends.put(labels(one), one.end().toEpochMilli() / 1e3);
    }
    for (SeriesSample one : folded) {
      // Deployment and metric are budgeted upstream; model and configuration are what floods.
      Labels other = labels(one, "other", "other");
      samples.merge(other, (double) one.n(), Double::sum);
      ends.merge(other, one.end().toEpochMilli() / 1e3, Math::max);
    }
    out.metricSnapshot(SAMPLES.snapshot(samples));
    out.metricSnapshot(WINDOW_END.snapshot(ends));
  }

  private static void collectVerdicts(List<SeriesSample> own, MetricSnapshots.Builder out) {
    Map<Labels, Double> verdicts = new LinkedHashMap<>();
    for (SeriesSample one : own) {
      SeriesJudgement judgement = one.judgement();
      if (judgement != null) {
        for (Verdict each : Verdict.values()) {
          verdicts.put(
              labels(one).add("verdict", each.label()), judgement.verdict() == each ? 1.0 : 0.0);
        }
      }
    }
    out.metricSnapshot(VERDICT.snapshot(verdicts));
  }

  private void collectConfigs(Set<String> shown, MetricSnapshots.Builder out) {
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
    out.metricSnapshot(CONFIG.info(List.copyOf(facts.values())));
  }

  private static Unit unit(String metric) {
    return switch (metric) {
      case "latency", "queue", "inference", "time_to_first_token" -> Unit.SECONDS;
      case "error_ratio" -> Unit.RATIO;
      default -> metric.startsWith("stage:") ? Unit.SECONDS : Unit.SCORE;
    };
  }

  private static Labels labels(SeriesSample sample) {
    return labels(sample, sample.modelId(), sample.configId());
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
}
