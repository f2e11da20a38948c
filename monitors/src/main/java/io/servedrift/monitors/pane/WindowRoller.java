package io.servedrift.monitors.pane;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.QuantileState;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Rolls panes into windows, each length from the one below, so that a 24 h window costs 24 parts
 * and not 1,440. A window closes when every pane in it has been merged; windows leave by (end,
 * length, series), whatever steps time took. Windows without a request do not exist. Not
 * thread-safe.
 */
final class WindowRoller {
  private final PaneKind kind;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final Consumer<WindowSummary> output;
  private final StateJournal journal;
  private final Tally tally;
  private final List<Level> levels = new ArrayList<>();
  private long partNumber;

  /** Windows of one length that are still open, by start. */
  private static final class Level {
    final int number;
    final long length;
    final TreeMap<Long, TreeMap<SeriesKey, List<Part>>> windows = new TreeMap<>();

    Level(int number, long length) {
      this.number = number;
      this.length = length;
    }
  }

  /** What the level below delivered for one series. */
  private record Part(String journalKey, ValueDistribution values, TailSketch sketch) {}

  WindowRoller(
      PaneKind kind,
      PaneSettings settings,
      MetricLayouts layouts,
      Consumer<WindowSummary> output,
      StateJournal journal,
      Tally tally) {
    this.kind = kind;
    this.settings = settings;
    this.layouts = layouts;
    this.output = output;
    this.journal = journal;
    this.tally = tally;
    for (int i = 0; i < settings.windows().size(); i++) {
      levels.add(new Level(i, settings.windows().get(i).toNanos() / 1000));
    }
  }

  void add(MergedPane pane) {
    for (MergedPane.Series series : pane.series()) {
      add(0, pane.startMicros(), series.key(), series.total(), TailSketch.of(series.total()));
    }
  }

  /** Closes every window that ends at or before {@code micros}. */
  void advance(long micros) {
    while (true) {
      Level next = null;
      for (Level level : levels) {
        if (!level.windows.isEmpty()
            && level.windows.firstKey() + level.length <= micros
            && (next == null
                || level.windows.firstKey() + level.length
                    < next.windows.firstKey() + next.length)) {
          next = level;
        }
      }
      if (next == null) {
        return;
      }
      long start = next.windows.firstKey();
      Map<SeriesKey, List<Part>> series = next.windows.remove(start);
      if (series != null) {
        close(next, start, series);
      }
    }
  }

  private void close(Level level, long start, Map<SeriesKey, List<Part>> series) {
    tally.count("windows_closed");
    Map<SeriesKey, List<Part>> within = withinBudget(series);
    within.forEach(
        (key, parts) -> {
          ValueDistribution values =
              ValueDistribution.merge(parts.stream().map(Part::values).toList());
          TailSketch sketch = TailSketch.merge(parts.stream().map(Part::sketch).toList());
          output.accept(window(key, start, start + level.length, values, sketch));
          if (level.number + 1 < levels.size()) {
            add(level.number + 1, start, key, values, sketch);
          }
        });
    series.values().forEach(parts -> parts.forEach(part -> journal.delete(part.journalKey())));
  }

  private static WindowSummary window(
      SeriesKey key, long start, long end, ValueDistribution values, TailSketch sketch) {
    return WindowStatistics.summary(values, sketch, WindowStatistics.DEFAULT_LEVEL)
        .setDeployment(key.deployment())
        .setModelId(key.modelId())
        .setConfigId(key.configId())
        .setMetric(key.metric())
        .setStart(instant(start))
        .setEnd(instant(end))
        .build();
  }

  /**
   * Keeps a window within the budgets of a pane: the rarest deployments, and the rarest (model,
   * configuration) groups of each, become {@code other}; the rarest metrics are left out.
   */
  private Map<SeriesKey, List<Part>> withinBudget(Map<SeriesKey, List<Part>> all) {
    Map<SeriesKey, List<Part>> series = withinDeploymentsAndMetrics(all);
    Map<String, Map<SeriesKey.Group, Long>> sizes = new HashMap<>();
    series.forEach(
        (key, parts) -> {
          if (!key.group().equals(SeriesKey.Group.EVERYTHING)) {
            long n = parts.stream().mapToLong(part -> part.values().n()).sum();
            sizes
                .computeIfAbsent(key.deployment(), k -> new HashMap<>())
                .merge(key.group(), n, Math::max);
          }
        });
    Map<SeriesKey, List<Part>> within = new TreeMap<>();
    Map<String, Set<SeriesKey.Group>> kept = new HashMap<>();
    sizes.forEach(
        (deployment, groups) ->
            kept.put(
                deployment,
                PaneBuilder.largest(groups, settings.seriesLimit(), SeriesKey.Group.ORDER)));
    series.forEach(
        (key, parts) -> {
          Set<SeriesKey.Group> groups = kept.get(key.deployment());
          boolean keep =
              key.group().equals(SeriesKey.Group.EVERYTHING)
                  || (groups != null && groups.contains(key.group()));
          SeriesKey target = keep ? key : key.inGroup(Covariate.OTHER, Covariate.OTHER);
          within.computeIfAbsent(target, k -> new ArrayList<>()).addAll(parts);
        });
    return within;
  }

  private Map<SeriesKey, List<Part>> withinDeploymentsAndMetrics(
      Map<SeriesKey, List<Part>> series) {
    Map<String, Long> deployments = new HashMap<>();
    Map<String, Long> metrics = new HashMap<>();
    series.forEach(
        (key, parts) -> {
          long n = parts.stream().mapToLong(part -> part.values().n()).sum();
          deployments.merge(key.deployment(), n, Math::max);
          metrics.merge(key.metric(), n, Long::sum);
        });
    Set<String> keptDeployments =
        PaneBuilder.largest(deployments, PaneBuilder.DEPLOYMENT_LIMIT, Comparator.naturalOrder());
    Set<String> keptMetrics =
        PaneBuilder.largest(metrics, PaneBuilder.METRIC_LIMIT, Comparator.naturalOrder());
    Map<SeriesKey, List<Part>> within = new TreeMap<>();
    series.forEach(
        (key, parts) -> {
          if (!keptMetrics.contains(key.metric())) {
            tally.add("folded_metric", parts.stream().mapToLong(part -> part.values().n()).sum());
            return;
          }
          SeriesKey target =
              keptDeployments.contains(key.deployment())
                  ? key
                  : new SeriesKey(Covariate.OTHER, key.modelId(), key.configId(), key.metric());
          within.computeIfAbsent(target, k -> new ArrayList<>()).addAll(parts);
        });
    return within;
  }

  private void add(
      int level, long start, SeriesKey key, ValueDistribution values, TailSketch sketch) {
    String journalKey =
        String.format(
            Locale.ROOT,
            "roll/%s/%016x/%016x",
            kind.name().toLowerCase(Locale.ROOT),
            levels.get(level).length,
            partNumber++);
    journal.put(journalKey, () -> EventCodec.encode(journalled(key, start, values, sketch)));
    put(level, start, key, new Part(journalKey, values, sketch));
  }

  private void put(int level, long start, SeriesKey key, Part part) {
    Level into = levels.get(level);
    long windowStart = Math.floorDiv(start, into.length) * into.length;
    into.windows
        .computeIfAbsent(windowStart, k -> new TreeMap<>())
        .computeIfAbsent(key, k -> new ArrayList<>())
        .add(part);
  }

  /**
   * The journal keeps a part as a window record whose numbers are left out: they follow from the
   * rest.
   */
  private static WindowSummary journalled(
      SeriesKey key, long start, ValueDistribution values, TailSketch sketch) {
    return WindowSummary.newBuilder()
        .setDeployment(key.deployment())
        .setModelId(key.modelId())
        .setConfigId(key.configId())
        .setMetric(key.metric())
        .setStart(instant(start))
        .setEnd(instant(start))
        .setN(values.n())
        .setP99State(QuantileState.UNKNOWN)
        .setDigest(ByteBuffer.wrap(sketch.toBytes()))
        .setDistribution(values.toAvro())
        .build();
  }

  /**
   * Takes back a record that was journalled before a restart; true when the key is of this roller.
   */
  boolean restore(String key, byte[] value) {
    String prefix = "roll/" + kind.name().toLowerCase(Locale.ROOT) + "/";
    if (!key.startsWith(prefix)) {
      return false;
    }
    String[] rest = key.substring(prefix.length()).split("/", 2);
    partNumber = Math.max(partNumber, Long.parseLong(rest[1], 16) + 1);
    WindowSummary record = (WindowSummary) EventCodec.decode(value);
    int level = levelOf(Long.parseLong(rest[0], 16));
    ValueDistribution values = ValueDistribution.fromAvro(record.getDistribution());
    if (level < 0 || !values.layout().equals(layouts.layoutOf(record.getMetric()))) {
      // Windows or layouts were changed since it was journalled: it fits nowhere any more.
      tally.count("journal_dropped");
      journal.delete(key);
      return true;
    }
    ByteBuffer digest = record.getDigest();
    put(
        level,
        ServedRequest.micros(record.getStart()),
        new SeriesKey(
            record.getDeployment(), record.getModelId(), record.getConfigId(), record.getMetric()),
        new Part(key, values, digest == null ? TailSketch.empty() : TailSketch.fromBytes(digest)));
    return true;
  }

  /** The level whose windows have this length, -1 when there is none. */
  private int levelOf(long length) {
    for (Level level : levels) {
      if (level.length == length) {
        return level.number;
      }
    }
    return -1;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
