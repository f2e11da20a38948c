package io.servedrift.monitors.pane;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.ArrivalCount;
import io.servedrift.schemas.avro.Cell;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Merges what the partitions saw of a pane, once the watermark of every source partition has passed
 * it: no pane is judged while a part of it may still come. Merged panes leave in order of time,
 * then deployment. Not thread-safe.
 */
public final class PaneMerger {
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final Listener listener;
  private final StateJournal journal;
  private final Tally tally;
  private final Map<PaneKind, TreeMap<Long, TreeMap<String, List<Part>>>> open =
      new EnumMap<>(PaneKind.class);
  private final Map<PaneKind, Long> mergedThrough = new EnumMap<>(PaneKind.class);
  private final Map<Integer, Watermark> watermarks = new TreeMap<>();
  private long partNumber;

  /** What comes out. */
  public interface Listener {
    /** A complete pane of a deployment. */
    void merged(MergedPane pane);

    /** Every pane of this kind that ends at or before {@code micros} has been merged. */
    void passed(PaneKind kind, long micros);
  }

  /** A part of a pane, taken apart and checked when it came: the merge cannot fail on it. */
  private record Part(
      String journalKey,
      PaneSummary summary,
      ValueDistribution total,
      Map<List<String>, ValueDistribution> cells,
      List<Exemplar> exemplars) {}

  public PaneMerger(
      PaneSettings settings,
      MetricLayouts layouts,
      Listener listener,
      StateJournal journal,
      Tally tally) {
    this.settings = settings;
    this.layouts = layouts;
    this.listener = listener;
    this.journal = journal;
    this.tally = tally;
    for (PaneKind kind : List.of(PaneKind.LATENCY, PaneKind.SCORE)) {
      open.put(kind, new TreeMap<>());
      mergedThrough.put(kind, PartitionClock.NEVER);
    }
  }

  /**
   * Takes a part of a pane. A part of a pane that was merged already is counted and left out.
   *
   * @throws UnusablePaneException when it does not fit the settings
   */
  public void accept(PaneSummary summary) {
    long end = ServedRequest.micros(summary.getEnd());
    if (end <= through(summary.getKind())) {
      tally.count("pane_parts_after_merge");
      return;
    }
    Part checked;
    try {
      checked = checked("", summary);
    } catch (IllegalArgumentException e) {
      throw new UnusablePaneException(String.valueOf(e.getMessage()), e);
    }
    String key = String.format(java.util.Locale.ROOT, "part/%016x", partNumber++);
    journal.put(key, () -> EventCodec.encode(summary));
    add(new Part(key, summary, checked.total(), checked.cells(), checked.exemplars()));
  }

  /**
   * Takes a summary apart.
   *
   * @throws IllegalArgumentException when its kind is unknown, its distributions are broken, have
   *     another histogram layout than the metric, its pane another length than panes have now, or
   *     its arrivals are not those of its requests
   */
  private Part checked(String key, PaneSummary summary) {
    if (!mergedThrough.containsKey(summary.getKind())) {
      throw new IllegalArgumentException(
          "pane kind " + summary.getKind() + ": must be LATENCY or SCORE");
    }
    long length = ServedRequest.micros(summary.getEnd()) - ServedRequest.micros(summary.getStart());
    if (length != settings.paneMicros()) {
      throw new IllegalArgumentException(
          "pane of " + length + " us: panes have " + settings.paneMicros() + " us");
    }
    HistogramLayout layout = layouts.layoutOf(summary.getMetric());
    ValueDistribution total = requireLayout(layout, ValueDistribution.fromAvro(summary.getTotal()));
    Map<List<String>, ValueDistribution> cells = new HashMap<>();
    for (Cell cell : summary.getCells()) {
      cell.getCovariates().forEach(PaneMerger::covariateOf);
      cells.put(
          List.copyOf(cell.getCovariates()),
          requireLayout(layout, ValueDistribution.fromAvro(cell.getDistribution())));
    }
    requireArrivals(summary, total.n());
    List<Exemplar> exemplars = summary.getExemplars().stream().map(Exemplar::fromAvro).toList();
    return new Part(key, summary, total, cells, exemplars);
  }

  /** None, or as many as there are requests, none of them later than the pane. */
  private static void requireArrivals(PaneSummary summary, long requests) {
    if (summary.getArrivals().isEmpty()) {
      return;
    }
    long left = summary.getMetric().equals(ServedRequest.ERROR_RATIO) ? requests : 0;
    for (ArrivalCount arrival : summary.getArrivals()) {
      if (arrival.getCount() < 1
          || arrival.getCount() > left
          || arrival.getStart().isAfter(summary.getStart())) {
        throw new IllegalArgumentException(
            "arrivals "
                + summary.getArrivals()
                + " of "
                + summary.getMetric()
                + ": must be those of the requests of an error_ratio");
      }
      left -= arrival.getCount();
    }
    if (left > 0) {
      throw new IllegalArgumentException(
          "arrivals: " + left + " of " + requests + " requests are missing");
    }
  }

  static ValueDistribution requireLayout(HistogramLayout layout, ValueDistribution values) {
    if (!values.layout().equals(layout)) {
      throw new IllegalArgumentException(
          "histogram layout " + values.layout() + ": the metric has " + layout);
    }
    return values;
  }

  private static String covariateOf(String named) {
    int end = named.indexOf('=');
    if (end < 0) {
      throw new IllegalArgumentException("cell " + named + ": must be covariate=bucket");
    }
    return named.substring(0, end);
  }

  /** Takes the watermark of a source partition and merges what is now complete. */
  public void accept(Watermark watermark) {
    watermarks.put(watermark.getSourcePartition(), watermark);
    journal.put("watermark/" + watermark.getSourcePartition(), () -> EventCodec.encode(watermark));
    advance();
  }

  /**
   * Takes back a record that was journalled before a restart; true when the key is of this class.
   */
  boolean restore(String key, byte[] value) {
    if (key.startsWith("part/")) {
      partNumber = Math.max(partNumber, Long.parseLong(key.substring("part/".length()), 16) + 1);
      try {
        add(checked(key, (PaneSummary) EventCodec.decode(value)));
      } catch (IllegalArgumentException e) {
        // Settings changed since it was journalled: it fits nowhere any more.
        tally.count("journal_dropped");
        journal.delete(key);
      }
      return true;
    }
    if (key.startsWith("watermark/")) {
      Watermark watermark = (Watermark) EventCodec.decode(value);
      watermarks.put(watermark.getSourcePartition(), watermark);
      return true;
    }
    return false;
  }

  /** After the last {@link #restore}: what was merged before the restart is not merged again. */
  void restored() {
    for (PaneKind kind : open.keySet()) {
      mergedThrough.put(kind, completeThrough(kind));
    }
  }

  private void add(Part part) {
    open.computeIfAbsent(part.summary().getKind(), kind -> new TreeMap<>())
        .computeIfAbsent(ServedRequest.micros(part.summary().getStart()), start -> new TreeMap<>())
        .computeIfAbsent(part.summary().getDeployment(), deployment -> new ArrayList<>())
        .add(part);
  }

  private long through(PaneKind kind) {
    return mergedThrough.getOrDefault(kind, PartitionClock.NEVER);
  }

  /**
   * How far every source partition has come; {@link PartitionClock#NEVER} while one has not spoken.
   */
  private long completeThrough(PaneKind kind) {
    long through = Long.MAX_VALUE;
    int expected = 1;
    for (Watermark watermark : watermarks.values()) {
      expected = Math.max(expected, watermark.getSourcePartitions());
      long own =
          ServedRequest.micros(
              kind == PaneKind.LATENCY
                  ? watermark.getLatencyClosedThrough()
                  : watermark.getScoreClosedThrough());
      through = Math.min(through, own);
    }
    return watermarks.size() < expected ? PartitionClock.NEVER : through;
  }

  private void advance() {
    for (Map.Entry<PaneKind, TreeMap<Long, TreeMap<String, List<Part>>>> kind : open.entrySet()) {
      long through = completeThrough(kind.getKey());
      if (through <= through(kind.getKey())) {
        continue;
      }
      mergedThrough.put(kind.getKey(), through);
      SortedMap<Long, TreeMap<String, List<Part>>> complete =
          kind.getValue().headMap(through - settings.paneMicros() + 1);
      SortedMap<Long, TreeMap<String, List<Part>>> taken = new TreeMap<>(complete);
      complete.clear();
      taken.forEach(
          (start, deployments) ->
              deployments.forEach((name, parts) -> merge(kind.getKey(), start, name, parts)));
      listener.passed(kind.getKey(), through);
    }
  }

  private void merge(PaneKind kind, long start, String deployment, List<Part> parts) {
    parts.forEach(part -> journal.delete(part.journalKey()));
    tally.count("panes_merged");
    listener.merged(
        new MergedPane(
            deployment,
            kind,
            start,
            start + settings.paneMicros(),
            mergeSeries(deployment, parts),
            mergeArrivals(parts)));
  }

  private static SortedMap<Long, Long> mergeArrivals(List<Part> parts) {
    SortedMap<Long, Long> merged = new TreeMap<>();
    for (Part part : parts) {
      for (ArrivalCount arrival : part.summary().getArrivals()) {
        merged.merge(ServedRequest.micros(arrival.getStart()), arrival.getCount(), Long::sum);
      }
    }
    return Collections.unmodifiableSortedMap(merged);
  }

  private List<MergedPane.Series> mergeSeries(String deployment, List<Part> parts) {
    Map<String, Set<String>> buckets = keptBuckets(parts);
    Set<SeriesKey.Group> groups = keptGroups(parts);
    Map<SeriesKey, Parts> bySeries = new TreeMap<>();
    for (Part part : parts) {
      PaneSummary summary = part.summary();
      SeriesKey.Group group = new SeriesKey.Group(summary.getModelId(), summary.getConfigId());
      if (!groups.contains(group)) {
        tally.add("folded_series", summary.getTotal().getN());
        group = SeriesKey.Group.OTHER;
      }
      String metric = summary.getMetric();
      Parts own =
          bySeries.computeIfAbsent(
              new SeriesKey(deployment, group.modelId(), group.configId(), metric),
              k -> new Parts());
      Parts wide =
          bySeries.computeIfAbsent(
              new SeriesKey(deployment, SeriesKey.ALL, SeriesKey.ALL, metric), k -> new Parts());
      own.totals.add(part.total());
      own.exemplars.addAll(part.exemplars());
      wide.exemplars.addAll(part.exemplars());
      part.cells()
          .forEach(
              (covariates, values) ->
                  own.cells
                      .computeIfAbsent(folded(covariates, buckets), k -> new ArrayList<>())
                      .add(values));
    }
    return merged(deployment, bySeries);
  }

  /** Merging is exact: the series over everything is made of the merged ones, not of all parts. */
  private List<MergedPane.Series> merged(String deployment, Map<SeriesKey, Parts> bySeries) {
    Map<SeriesKey, MergedPane.Series> merged = new TreeMap<>();
    bySeries.forEach(
        (key, own) -> {
          if (!isWide(key)) {
            Parts wide =
                bySeries.get(new SeriesKey(deployment, SeriesKey.ALL, SeriesKey.ALL, key.metric()));
            merged.put(key, merge(key, own, wide));
          }
        });
    bySeries.forEach(
        (key, wide) -> {
          if (isWide(key)) {
            merged.put(key, merge(key, wide, null));
          }
        });
    return List.copyOf(merged.values());
  }

  private static boolean isWide(SeriesKey key) {
    return key.configId().equals(SeriesKey.ALL) && key.modelId().equals(SeriesKey.ALL);
  }

  /**
   * Merges the parts of a series.
   *
   * @param wide where the results are parts of, null for none
   */
  private MergedPane.Series merge(SeriesKey key, Parts own, @Nullable Parts wide) {
    ValueDistribution total = ValueDistribution.merge(own.totals);
    Map<List<String>, ValueDistribution> cells = new HashMap<>();
    own.cells.forEach((cell, parts) -> cells.put(cell, ValueDistribution.merge(parts)));
    if (wide != null) {
      wide.totals.add(total);
      cells.forEach(
          (cell, values) -> wide.cells.computeIfAbsent(cell, k -> new ArrayList<>()).add(values));
    }
    return new MergedPane.Series(
        key, total, withinLimit(cells), ExemplarSample.select(own.exemplars));
  }

  private SortedMap<List<String>, ValueDistribution> withinLimit(
      Map<List<String>, ValueDistribution> merged) {
    Map<List<String>, Long> joint = new HashMap<>();
    merged.forEach(
        (key, values) -> {
          if (Cells.isJoint(key) && !key.equals(Cells.REST)) {
            joint.put(key, values.n());
          }
        });
    Set<List<String>> kept = PaneBuilder.largest(joint, settings.cellLimit(), Cells.ORDER);
    SortedMap<List<String>, ValueDistribution> within = new TreeMap<>(Cells.ORDER);
    List<ValueDistribution> rest = new ArrayList<>();
    merged.forEach(
        (key, values) -> {
          if (!Cells.isJoint(key) || kept.contains(key)) {
            within.put(key, values);
          } else {
            rest.add(values);
          }
        });
    if (!rest.isEmpty()) {
      ValueDistribution together = ValueDistribution.merge(rest);
      tally.add("folded_cell", together.n());
      within.put(Cells.REST, together);
    }
    return within;
  }

  /** The model and configuration groups within the budget, by their largest metric. */
  private Set<SeriesKey.Group> keptGroups(List<Part> parts) {
    Map<SeriesKey.Group, Map<String, Long>> byMetric = new HashMap<>();
    for (Part part : parts) {
      PaneSummary summary = part.summary();
      byMetric
          .computeIfAbsent(
              new SeriesKey.Group(summary.getModelId(), summary.getConfigId()),
              k -> new HashMap<>())
          .merge(summary.getMetric(), summary.getTotal().getN(), Long::sum);
    }
    Map<SeriesKey.Group, Long> sizes = new HashMap<>();
    byMetric.forEach(
        (group, counts) ->
            sizes.put(group, counts.values().stream().max(Comparator.naturalOrder()).orElse(0L)));
    return PaneBuilder.largest(sizes, settings.seriesLimit(), SeriesKey.Group.ORDER);
  }

  /** Per open-ended covariate the {@code name=bucket} strings within the budget. */
  private Map<String, Set<String>> keptBuckets(List<Part> parts) {
    Map<String, Map<String, Long>> counts = new HashMap<>();
    for (Part part : parts) {
      for (Cell cell : part.summary().getCells()) {
        for (String named : cell.getCovariates()) {
          String covariate = covariateOf(named);
          counts
              .computeIfAbsent(covariate, k -> new HashMap<>())
              .merge(named, cell.getDistribution().getN(), Long::sum);
        }
      }
    }
    Map<String, Set<String>> kept = new HashMap<>();
    for (Covariate covariate : Covariate.all()) {
      if (covariate.open()) {
        kept.put(
            covariate.label(),
            PaneBuilder.largest(
                counts.getOrDefault(covariate.label(), Map.of()),
                settings.classLimit(),
                Comparator.naturalOrder()));
      }
    }
    return kept;
  }

  private static List<String> folded(List<String> covariates, Map<String, Set<String>> kept) {
    List<String> key = new ArrayList<>(covariates.size());
    for (String named : covariates) {
      String covariate = covariateOf(named);
      Set<String> buckets = kept.get(covariate);
      key.add(
          buckets == null || buckets.contains(named) ? named : covariate + "=" + Covariate.OTHER);
    }
    key.sort(null);
    return List.copyOf(key);
  }

  private static final class Parts {
    final List<ValueDistribution> totals = new ArrayList<>();
    final Map<List<String>, List<ValueDistribution>> cells = new HashMap<>();
    final List<Exemplar> exemplars = new ArrayList<>();
  }
}
