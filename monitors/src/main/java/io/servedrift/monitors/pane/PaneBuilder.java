package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.Cell;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns the rows of a closed pane into one summary per series: the total, the joint cells of what
 * confounds, and one-way margins for the rest. Budgets bound what a flood of configurations or
 * prompt classes can cost: the most frequent stay, the rest is {@code other} and counted. The
 * budgets of one partition are {@value #SLACK} times those of the merged pane, so that the merged
 * pane decides as long as the flood is not extreme. Not thread-safe.
 */
final class PaneBuilder {
  /** How much wider than the merged budgets those of one partition are. */
  static final int SLACK = 4;

  /** Most deployments kept apart per pane and partition. */
  static final int DEPLOYMENT_LIMIT = 256;

  /** Most metrics kept per deployment and pane. */
  static final int METRIC_LIMIT = 96;

  private final int partition;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final Tally tally;

  /** A row of a pane: the request, the metrics it contributes. */
  private record Row(ServedRequest request, List<ServedRequest.Value> values) {}

  PaneBuilder(int partition, PaneSettings settings, MetricLayouts layouts, Tally tally) {
    this.partition = partition;
    this.settings = settings;
    this.layouts = layouts;
    this.tally = tally;
  }

  List<PaneSummary> latencyPane(long start, List<ServedRequest> requests) {
    List<Row> rows = new ArrayList<>(requests.size());
    for (ServedRequest request : requests) {
      rows.add(new Row(request, request.metrics()));
    }
    return build(PaneKind.LATENCY, start, rows);
  }

  List<PaneSummary> scorePane(long start, List<PartitionAggregator.ScoredRequest> scored) {
    List<Row> rows = new ArrayList<>(scored.size());
    for (PartitionAggregator.ScoredRequest row : scored) {
      rows.add(new Row(row.request(), List.of(row.score())));
    }
    return build(PaneKind.SCORE, start, rows);
  }

  private List<PaneSummary> build(PaneKind kind, long start, List<Row> rows) {
    Map<String, List<Row>> byDeployment = new TreeMap<>();
    rows.forEach(
        row ->
            byDeployment
                .computeIfAbsent(row.request().deployment(), k -> new ArrayList<>())
                .add(row));
    List<PaneSummary> summaries = new ArrayList<>();
    Set<String> kept = largest(sizes(byDeployment), DEPLOYMENT_LIMIT);
    List<Row> other = new ArrayList<>();
    byDeployment.forEach(
        (deployment, own) -> {
          if (kept.contains(deployment)) {
            summaries.addAll(buildDeployment(kind, start, deployment, own));
          } else {
            tally.add("folded_deployment", own.size());
            other.addAll(own);
          }
        });
    if (!other.isEmpty()) {
      summaries.addAll(buildDeployment(kind, start, Covariate.OTHER, other));
    }
    return summaries;
  }

  private static Map<String, Long> sizes(Map<String, List<Row>> groups) {
    Map<String, Long> sizes = new HashMap<>();
    groups.forEach((name, rows) -> sizes.put(name, (long) rows.size()));
    return sizes;
  }

  private List<PaneSummary> buildDeployment(
      PaneKind kind, long start, String deployment, List<Row> rows) {
    List<@Nullable Set<String>> keptBuckets = keptBuckets(rows);
    Map<SeriesKey.Group, Long> groupSizes = new HashMap<>();
    Map<String, Long> metricSizes = new HashMap<>();
    for (Row row : rows) {
      groupSizes.merge(group(row), 1L, Long::sum);
      row.values().forEach(value -> metricSizes.merge(value.name(), 1L, Long::sum));
    }
    Set<SeriesKey.Group> keptGroups =
        largest(groupSizes, settings.seriesLimit() * SLACK, SeriesKey.Group.ORDER);
    Set<String> keptMetrics = largest(metricSizes, METRIC_LIMIT);

    Map<SeriesKey.Group, Map<String, Series>> series = new TreeMap<>(SeriesKey.Group.ORDER);
    for (Row row : rows) {
      SeriesKey.Group group = group(row);
      if (!keptGroups.contains(group)) {
        tally.count("folded_series");
        group = SeriesKey.Group.OTHER;
      }
      Map<String, Series> metrics = series.computeIfAbsent(group, k -> new TreeMap<>());
      for (ServedRequest.Value value : row.values()) {
        if (keptMetrics.contains(value.name())) {
          metrics
              .computeIfAbsent(value.name(), name -> new Series(keptBuckets))
              .add(row.request(), value);
        } else {
          tally.count("folded_metric");
        }
      }
    }
    List<PaneSummary> summaries = new ArrayList<>();
    series.forEach(
        (group, metrics) ->
            metrics.forEach(
                (metric, values) ->
                    summaries.add(summary(kind, start, deployment, group, metric, values))));
    return summaries;
  }

  private PaneSummary summary(
      PaneKind kind,
      long start,
      String deployment,
      SeriesKey.Group group,
      String metric,
      Series series) {
    HistogramLayout layout = layouts.layoutOf(metric);
    List<Cell> cells = series.cells(layout, settings.cellLimit() * SLACK);
    series.folded.forEach((what, count) -> tally.add("folded_" + what, count));
    return PaneSummary.newBuilder()
        .setSourcePartition(partition)
        .setDeployment(deployment)
        .setModelId(group.modelId())
        .setConfigId(group.configId())
        .setMetric(metric)
        .setKind(kind)
        .setStart(instant(start))
        .setEnd(instant(start + settings.paneMicros()))
        .setTotal(ValueDistribution.of(layout, series.all.toArray()).toAvro())
        .setCells(cells)
        .setFolded(series.folded)
        .build();
  }

  /** Per open-ended covariate the buckets that stay, null for the others. */
  private List<@Nullable Set<String>> keptBuckets(List<Row> rows) {
    List<@Nullable Set<String>> kept = new ArrayList<>();
    for (Covariate covariate : Covariate.all()) {
      if (!covariate.open()) {
        kept.add(null);
        continue;
      }
      Map<String, Long> counts = new HashMap<>();
      for (Row row : rows) {
        if (covariate == Covariate.SCORER) {
          row.values().forEach(value -> counts.merge(value.scorer(), 1L, Long::sum));
        } else {
          counts.merge(row.request().buckets().get(covariate.index()), 1L, Long::sum);
        }
      }
      kept.add(largest(counts, settings.classLimit() * SLACK));
    }
    return kept;
  }

  private static SeriesKey.Group group(Row row) {
    return new SeriesKey.Group(row.request().modelId(), row.request().configId());
  }

  static Set<String> largest(Map<String, Long> counts, int limit) {
    return largest(counts, limit, Comparator.naturalOrder());
  }

  /**
   * The keys with the largest counts; equal counts by key, so that the choice is a function of the
   * counts.
   */
  static <K> Set<K> largest(Map<K, Long> counts, int limit, Comparator<K> order) {
    if (counts.size() <= limit) {
      return new HashSet<>(counts.keySet());
    }
    List<Map.Entry<K, Long>> sorted = new ArrayList<>(counts.entrySet());
    sorted.sort(
        Map.Entry.<K, Long>comparingByValue().reversed().thenComparing(Map.Entry::getKey, order));
    Set<K> kept = new HashSet<>();
    sorted.subList(0, limit).forEach(entry -> kept.add(entry.getKey()));
    return kept;
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** The values of one series in this pane, by cell. */
  private static final class Series {
    private final List<@Nullable Set<String>> keptBuckets;
    final Map<String, Long> folded = new TreeMap<>();
    final Doubles all = new Doubles();
    private final Map<List<String>, Doubles> joint = new HashMap<>();
    private final Map<List<String>, Doubles> margins = new HashMap<>();

    Series(List<@Nullable Set<String>> keptBuckets) {
      this.keptBuckets = keptBuckets;
    }

    void add(ServedRequest request, ServedRequest.Value value) {
      all.add(value.value());
      List<String> key = new ArrayList<>();
      for (Covariate covariate : Covariate.all()) {
        if (covariate == Covariate.SCORER && value.scorer().isEmpty()) {
          continue;
        }
        String bucket =
            covariate == Covariate.SCORER
                ? value.scorer()
                : request.buckets().get(covariate.index());
        Set<String> kept = keptBuckets.get(covariate.index());
        if (kept != null && !kept.contains(bucket)) {
          folded.merge(covariate.label(), 1L, Long::sum);
          bucket = Covariate.OTHER;
        }
        String named = covariate.label() + "=" + bucket;
        if (covariate.joint()) {
          key.add(named);
        } else if (!bucket.equals(Covariate.UNKNOWN)) {
          margins.computeIfAbsent(List.of(named), k -> new Doubles()).add(value.value());
        }
      }
      key.sort(null);
      joint.computeIfAbsent(List.copyOf(key), k -> new Doubles()).add(value.value());
    }

    List<Cell> cells(HistogramLayout layout, int limit) {
      Map<List<String>, Long> sizes = new HashMap<>();
      joint.forEach((key, values) -> sizes.put(key, (long) values.size()));
      Set<List<String>> kept = largest(sizes, limit, Cells.ORDER);
      Map<List<String>, Doubles> cells = new TreeMap<>(Cells.ORDER);
      cells.putAll(margins);
      joint.forEach(
          (key, values) -> {
            if (kept.contains(key)) {
              cells.put(key, values);
            } else {
              folded.merge("cell", (long) values.size(), Long::sum);
              cells.computeIfAbsent(Cells.REST, k -> new Doubles()).addAll(values);
            }
          });
      List<Cell> built = new ArrayList<>(cells.size());
      cells.forEach(
          (key, values) ->
              built.add(
                  new Cell(
                      key,
                      ValueDistribution.of(layout, values.toArray(), ValueDistribution.Detail.BINS)
                          .toAvro())));
      return built;
    }
  }
}
