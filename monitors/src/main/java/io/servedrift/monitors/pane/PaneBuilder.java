package io.servedrift.monitors.pane;

import io.servedrift.schemas.avro.ArrivalCount;
import io.servedrift.schemas.avro.Cell;
import io.servedrift.schemas.avro.PaneExemplar;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** Arrivals from longer before the pane count as from this long before it. */
  static final long ARRIVAL_REACH_MICROS = 60 * 60_000_000L;

  private final int partition;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final Tally tally;

  /** A row of a pane: the request, and the values it contributes. */
  private record Row(ServedRequest request, List<ServedRequest.Value> values) {
    SeriesKey.Group group() {
      return new SeriesKey.Group(request.modelId(), request.configId());
    }

    /** The bucket of a covariate, null where it does not apply: latency has no scorer. */
    @Nullable String bucket(Covariate covariate) {
      if (covariate != Covariate.SCORER) {
        return request.bucket(covariate);
      }
      String scorer = values.get(0).scorer();
      return scorer.isEmpty() ? null : scorer;
    }
  }

  PaneBuilder(int partition, PaneSettings settings, MetricLayouts layouts, Tally tally) {
    this.partition = partition;
    this.settings = settings;
    this.layouts = layouts;
    this.tally = tally;
  }

  /** Latency metrics and error ratio of the requests of a pane. */
  List<PaneSummary> latencyPane(long start, List<ServedRequest> requests) {
    List<Row> rows = new ArrayList<>(requests.size());
    for (ServedRequest request : requests) {
      rows.add(new Row(request, request.metrics()));
    }
    return build(PaneKind.LATENCY, start, rows);
  }

  /** Scores of a pane. */
  List<PaneSummary> scorePane(long start, List<PartitionAggregator.ScoredRequest> scored) {
    List<Row> rows = new ArrayList<>(scored.size());
    for (PartitionAggregator.ScoredRequest row : scored) {
      rows.add(new Row(row.request(), List.of(row.score())));
    }
    return build(PaneKind.SCORE, start, rows);
  }

  private List<PaneSummary> build(PaneKind kind, long start, List<Row> rows) {
    Map<String, List<Row>> byDeployment = new TreeMap<>();
    for (Row row : rows) {
      byDeployment.computeIfAbsent(row.request().deployment(), k -> new ArrayList<>()).add(row);
    }
    Map<String, Long> sizes = new HashMap<>();
    byDeployment.forEach((name, own) -> sizes.put(name, (long) own.size()));
    Set<String> kept = largest(sizes, DEPLOYMENT_LIMIT, Comparator.naturalOrder());
    List<PaneSummary> summaries = new ArrayList<>();
    List<Row> other = new ArrayList<>();
    byDeployment.forEach(
        (deployment, own) -> {
          if (kept.contains(deployment)) {
            buildDeployment(kind, start, deployment, own, summaries);
          } else {
            tally.add("folded_deployment", own.size());
            other.addAll(own);
          }
        });
    if (!other.isEmpty()) {
      buildDeployment(kind, start, Covariate.OTHER, other, summaries);
    }
    return summaries;
  }

  private void buildDeployment(
      PaneKind kind, long start, String deployment, List<Row> rows, List<PaneSummary> into) {
    Map<SeriesKey.Group, List<Row>> found = new HashMap<>();
    Map<String, Long> metricSizes = new HashMap<>();
    for (Row row : rows) {
      found.computeIfAbsent(row.group(), k -> new ArrayList<>()).add(row);
      for (ServedRequest.Value value : row.values()) {
        metricSizes.merge(value.name(), 1L, Long::sum);
      }
    }
    Set<String> keptMetrics = largest(metricSizes, METRIC_LIMIT, Comparator.naturalOrder());
    List<@Nullable Set<String>> keptBuckets = keptBuckets(rows);
    Map<SeriesKey.Group, List<Row>> byGroup = kept(found, rows);
    byGroup.forEach(
        (group, own) -> {
          Placement placement = new Placement(own, keptBuckets, settings.cellLimit() * SLACK);
          placement.folded.forEach((what, count) -> tally.add("folded_" + what, count));
          for (Map.Entry<String, Series> metric : series(own, placement, keptMetrics).entrySet()) {
            List<ArrivalCount> arrivals =
                metric.getKey().equals(ServedRequest.ERROR_RATIO)
                    ? arrivals(start, own)
                    : List.of();
            into.add(
                summary(
                        kind,
                        start,
                        deployment,
                        group,
                        metric.getKey(),
                        metric.getValue(),
                        placement)
                    .setArrivals(arrivals)
                    .build());
          }
        });
  }

  /** The largest groups apart, the rest together; in either the rows keep their order. */
  private Map<SeriesKey.Group, List<Row>> kept(
      Map<SeriesKey.Group, List<Row>> found, List<Row> rows) {
    Map<SeriesKey.Group, List<Row>> byGroup = new TreeMap<>(SeriesKey.Group.ORDER);
    int limit = settings.seriesLimit() * SLACK;
    if (found.size() <= limit) {
      byGroup.putAll(found);
      return byGroup;
    }
    Map<SeriesKey.Group, Long> sizes = new HashMap<>();
    found.forEach((group, own) -> sizes.put(group, (long) own.size()));
    Set<SeriesKey.Group> keptGroups = largest(sizes, limit, SeriesKey.Group.ORDER);
    for (Row row : rows) {
      SeriesKey.Group group = row.group();
      if (!keptGroups.contains(group)) {
        tally.count("folded_series");
        group = SeriesKey.Group.OTHER;
      }
      byGroup.computeIfAbsent(group, k -> new ArrayList<>()).add(row);
    }
    return byGroup;
  }

  /** How many of the rows arrived in which pane. */
  private List<ArrivalCount> arrivals(long start, List<Row> rows) {
    Map<Long, Long> counts = new TreeMap<>();
    for (Row row : rows) {
      long arrived = Math.max(row.request().arrivedMicros(), start - ARRIVAL_REACH_MICROS);
      counts.merge(settings.paneStart(arrived), 1L, Long::sum);
    }
    List<ArrivalCount> arrivals = new ArrayList<>(counts.size());
    counts.forEach((pane, count) -> arrivals.add(new ArrivalCount(instant(pane), count)));
    return arrivals;
  }

  /** The values of each metric, in total and by cell. */
  private Map<String, Series> series(List<Row> rows, Placement placement, Set<String> keptMetrics) {
    ExemplarSample.Requests requests =
        new ExemplarSample.Requests(rows.stream().map(Row::request).toList());
    Map<String, Series> byMetric = new TreeMap<>();
    for (int i = 0; i < rows.size(); i++) {
      for (ServedRequest.Value value : rows.get(i).values()) {
        if (keptMetrics.contains(value.name())) {
          Series series =
              byMetric.computeIfAbsent(
                  value.name(), name -> new Series(placement.keys.size(), requests.metric()));
          series.add(value.value(), placement.cells.get(i));
          series.exemplars.offer(i, value.value());
        } else {
          tally.count("folded_metric");
        }
      }
    }
    return byMetric;
  }

  private PaneSummary.Builder summary(
      PaneKind kind,
      long start,
      String deployment,
      SeriesKey.Group group,
      String metric,
      Series series,
      Placement placement) {
    HistogramLayout layout = layouts.layoutOf(metric);
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
        .setCells(series.cells(layout, placement))
        .setFolded(placement.folded)
        .setExemplars(series.exemplars());
  }

  /** Per covariate the buckets that stay, null where every bucket does. */
  private List<@Nullable Set<String>> keptBuckets(List<Row> rows) {
    List<@Nullable Set<String>> kept = new ArrayList<>();
    for (Covariate covariate : Covariate.all()) {
      if (!covariate.open()) {
        kept.add(null);
        continue;
      }
      Map<String, Long> counts = new HashMap<>();
      for (Row row : rows) {
        String bucket = row.bucket(covariate);
        if (bucket != null) {
          counts.merge(bucket, 1L, Long::sum);
        }
      }
      kept.add(largest(counts, settings.classLimit() * SLACK, Comparator.naturalOrder()));
    }
    return kept;
  }

  /**
   * The keys with the largest counts; equal counts by key, so that the choice is a function of the
   * counts.
   */
  static <K> Set<K> largest(Map<K, Long> counts, int limit, Comparator<? super K> order) {
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

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /**
   * Which cells each row of a (model, configuration) group falls into, worked out once for all its
   * metrics: one joint cell, and one margin per covariate whose bucket is known.
   */
  private static final class Placement {
    final List<List<String>> keys = new ArrayList<>();
    final List<int[]> cells;
    final Map<String, Long> folded = new TreeMap<>();

    private final List<@Nullable Set<String>> keptBuckets;
    private final Map<List<String>, Integer> joint = new HashMap<>();
    private final List<Map<String, Integer>> margins = new ArrayList<>();

    Placement(List<Row> rows, List<@Nullable Set<String>> keptBuckets, int jointLimit) {
      this.keptBuckets = keptBuckets;
      List<List<String>> jointOfRow = new ArrayList<>(rows.size());
      Map<List<String>, Long> sizes = new HashMap<>();
      for (Row row : rows) {
        List<String> buckets = jointBuckets(row);
        jointOfRow.add(buckets);
        sizes.merge(buckets, 1L, Long::sum);
      }
      Set<List<String>> kept = largest(sizes, jointLimit, Cells.ORDER);
      Covariate.all().forEach(covariate -> margins.add(new HashMap<>()));
      this.cells = new ArrayList<>(rows.size());
      for (int i = 0; i < rows.size(); i++) {
        cells.add(place(rows.get(i), jointOfRow.get(i), kept));
      }
    }

    private List<String> jointBuckets(Row row) {
      List<String> buckets = new ArrayList<>(5);
      for (Covariate covariate : Covariate.all()) {
        if (covariate.joint()) {
          String bucket = row.bucket(covariate);
          buckets.add(bucket == null ? Covariate.UNKNOWN : keptOrOther(covariate, bucket));
        }
      }
      return buckets;
    }

    private String keptOrOther(Covariate covariate, String bucket) {
      Set<String> kept = keptBuckets.get(covariate.index());
      if (kept == null || kept.contains(bucket)) {
        return bucket;
      }
      folded.merge(covariate.label(), 1L, Long::sum);
      return Covariate.OTHER;
    }

    private int[] place(Row row, List<String> jointBuckets, Set<List<String>> keptJoint) {
      int[] placed = new int[1 + Covariate.all().size()];
      int used = 0;
      if (keptJoint.contains(jointBuckets)) {
        placed[used++] = joint.computeIfAbsent(jointBuckets, buckets -> key(named(buckets)));
      } else {
        folded.merge("cell", 1L, Long::sum);
        placed[used++] = joint.computeIfAbsent(Cells.REST, this::key);
      }
      for (Covariate covariate : Covariate.all()) {
        String bucket = covariate.joint() ? null : row.bucket(covariate);
        if (bucket != null && !bucket.equals(Covariate.UNKNOWN)) {
          placed[used++] =
              margins
                  .get(covariate.index())
                  .computeIfAbsent(
                      keptOrOther(covariate, bucket),
                      kept -> key(List.of(covariate.label() + "=" + kept)));
        }
      }
      return Arrays.copyOf(placed, used);
    }

    private int key(List<String> covariates) {
      keys.add(covariates);
      return keys.size() - 1;
    }

    private static List<String> named(List<String> buckets) {
      List<String> named = new ArrayList<>(buckets.size());
      int next = 0;
      for (Covariate covariate : Covariate.all()) {
        if (covariate.joint()) {
          named.add(covariate.label() + "=" + buckets.get(next++));
        }
      }
      named.sort(null);
      return List.copyOf(named);
    }
  }

  /** The values of one series in this pane. */
  private static final class Series {
    final Doubles all = new Doubles();
    final ExemplarSample.Requests.Metric exemplars;
    private final @Nullable Doubles[] byCell;

    Series(int cells, ExemplarSample.Requests.Metric exemplars) {
      this.byCell = new Doubles[cells];
      this.exemplars = exemplars;
    }

    void add(double value, int[] cells) {
      all.add(value);
      for (int cell : cells) {
        Doubles values = byCell[cell];
        if (values == null) {
          values = new Doubles();
          byCell[cell] = values;
        }
        values.add(value);
      }
    }

    List<PaneExemplar> exemplars() {
      List<PaneExemplar> records = new ArrayList<>();
      exemplars.sample().forEach(exemplar -> records.add(exemplar.toAvro()));
      return records;
    }

    List<Cell> cells(HistogramLayout layout, Placement placement) {
      Map<List<String>, Doubles> sorted = new TreeMap<>(Cells.ORDER);
      for (int cell = 0; cell < byCell.length; cell++) {
        Doubles values = byCell[cell];
        if (values != null) {
          sorted.put(placement.keys.get(cell), values);
        }
      }
      List<Cell> cells = new ArrayList<>(sorted.size());
      sorted.forEach(
          (key, values) ->
              cells.add(
                  new Cell(
                      key,
                      ValueDistribution.of(layout, values.toArray(), ValueDistribution.Detail.BINS)
                          .toAvro())));
      return cells;
    }
  }
}
