package io.servedrift.monitors.page;

import io.servedrift.monitors.ops.ConfigLabels;
import io.servedrift.monitors.ops.SeriesSample;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.WindowStatistics;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * The output topics in memory, bounded: recent windows per series and window length, what the
 * configuration ids mean, recent serving events, findings and corrections. Any instance holds all
 * of it, so any instance can answer for all.
 *
 * <p>Feed it with {@link #apply}; a window, finding, event or configuration that is said again
 * replaces what was said before. Thread-safe.
 */
public final class ReadModel {
  private final ReadModelLimits limits;
  private final Map<Duration, Shelf> shelves = new LinkedHashMap<>();
  private final Map<String, KnownConfig> configs = new LinkedHashMap<>();
  private final Map<String, ConfigRecord> models = new LinkedHashMap<>();
  private final Map<String, StoredEvent> servingEvents = new LinkedHashMap<>();
  private long servingEventBytes;
  private final Map<String, Finding> findings = new LinkedHashMap<>();
  private final Map<SeriesKey, NavigableMap<Instant, Integer>> corrections = new HashMap<>();
  private final ArrayDeque<CorrectionAt> correctionOrder = new ArrayDeque<>();
  private final Map<String, Long> deadLetters = new TreeMap<>();
  private final Map<String, Long> ignored = new TreeMap<>();
  private final Map<String, Long> evicted = new TreeMap<>();

  private record StoredEvent(ServingEvent event, int bytes) {}

  private record CorrectionAt(SeriesKey key, Instant at) {}

  /**
   * A configuration of the dictionary.
   *
   * @param record the latest record that defines it
   * @param deployments deployments that have used it, sorted
   */
  public record KnownConfig(ConfigRecord record, TreeSet<String> deployments) {}

  /** Windows of one length. */
  private static final class Shelf {
    private final Duration keep;
    private final long maxBytes;
    private final NavigableMap<SeriesKey, NavigableMap<Instant, StoredWindow>> series =
        new TreeMap<>();
    private final TreeSet<LastWindow> byAge = new TreeSet<>();

    /** Every window, in the order of arrival; windows are told apart by identity. */
    private final LinkedHashSet<StoredWindow> order = new LinkedHashSet<>();

    private Instant newestEnd = Instant.MIN;
    private long bytes;

    Shelf(Duration keep, long maxBytes) {
      this.keep = keep;
      this.maxBytes = maxBytes;
    }

    boolean expired(StoredWindow window) {
      return window.end().isBefore(newestEnd.minus(keep));
    }

    void put(StoredWindow window) {
      NavigableMap<Instant, StoredWindow> windows =
          series.computeIfAbsent(window.series(), key -> new TreeMap<>());
      forgetAge(window.series(), windows);
      StoredWindow replaced = windows.put(window.start(), window);
      if (replaced != null) {
        bytes -= replaced.bytes();
        order.remove(replaced);
      }
      order.add(window);
      bytes += window.bytes();
      rememberAge(window.series(), windows);
    }

    /** The window that came first. */
    @Nullable StoredWindow oldest() {
      return order.isEmpty() ? null : order.iterator().next();
    }

    void remove(StoredWindow window) {
      NavigableMap<Instant, StoredWindow> windows = series.get(window.series());
      if (windows == null) {
        return;
      }
      order.remove(window);
      bytes -= window.bytes();
      forgetAge(window.series(), windows);
      windows.remove(window.start());
      if (windows.isEmpty()) {
        series.remove(window.series());
      } else {
        rememberAge(window.series(), windows);
      }
    }

    /** Makes room when a series has been silent for at least a whole window before this one. */
    boolean replaceSilent(StoredWindow by) {
      LastWindow stalest = byAge.first();
      if (!stalest.end().isBefore(by.start())) {
        return false;
      }
      NavigableMap<Instant, StoredWindow> windows = series.get(stalest.key());
      if (windows != null) {
        List.copyOf(windows.values()).forEach(this::remove);
      }
      return true;
    }

    private void forgetAge(SeriesKey key, NavigableMap<Instant, StoredWindow> windows) {
      if (!windows.isEmpty()) {
        byAge.remove(new LastWindow(windows.lastEntry().getValue().end(), key));
      }
    }

    private void rememberAge(SeriesKey key, NavigableMap<Instant, StoredWindow> windows) {
      byAge.add(new LastWindow(windows.lastEntry().getValue().end(), key));
    }
  }

  /** When the latest window of a series ends; in the order of time. */
  private record LastWindow(Instant end, SeriesKey key) implements Comparable<LastWindow> {
    private static final Comparator<LastWindow> BY_AGE =
        Comparator.comparing(LastWindow::end).thenComparing(LastWindow::key);

    @Override
    public int compareTo(LastWindow other) {
      return BY_AGE.compare(this, other);
    }
  }

  /** An empty model with these limits. */
  public ReadModel(ReadModelLimits limits) {
    this.limits = limits;
    long share = limits.windowBytes() / limits.windows().size();
    limits.windows().forEach(w -> shelves.put(w.length(), new Shelf(w.keep(), share)));
  }

  /** Window lengths kept, shortest first. */
  public List<Duration> windowLengths() {
    return limits.windows().stream().map(ReadModelLimits.Retention::length).toList();
  }

  /**
   * Takes one record of an output topic. Ticks, decisions and heartbeats share a topic with the
   * windows or the serving events and say nothing here; records of other types are ignored and
   * counted.
   */
  public synchronized void apply(SpecificRecord record) {
    if (record instanceof WindowSummary window) {
      apply(window);
    } else if (record instanceof Correction correction) {
      apply(correction);
    } else if (record instanceof ConfigRecord config) {
      apply(config);
    } else if (record instanceof ServingEvent event) {
      apply(event);
    } else if (record instanceof Finding finding) {
      put(findings, finding.getFindingId(), finding, limits.findings());
    } else if (record instanceof DeadLetter letter) {
      count(deadLetters, letter.getReason());
    } else if (!(record instanceof Tick
        || record instanceof Decision
        || record instanceof Heartbeat)) {
      count(ignored, "type_" + record.getSchema().getName());
    }
  }

  /** Counts a record that could not be read. */
  public synchronized void undecodable() {
    count(ignored, "undecodable");
  }

  /** Counts a record that was read but could not be taken. */
  public synchronized void failed() {
    count(ignored, "failed");
  }

  private static void count(Map<String, Long> counters, String name) {
    // Names come from records; a flood of them must not grow the map.
    counters.merge(
        counters.containsKey(name) || counters.size() < 100 ? name : "other", 1L, Long::sum);
  }

  private static <V> void put(Map<String, V> map, String key, V value, int limit) {
    map.remove(key);
    map.put(key, value);
    if (map.size() > limit) {
      map.remove(map.keySet().iterator().next());
    }
  }

  private void apply(WindowSummary summary) {
    Shelf shelf = shelves.get(Duration.between(summary.getStart(), summary.getEnd()));
    if (shelf == null) {
      count(ignored, "window_length");
      return;
    }
    SeriesKey key =
        new SeriesKey(
            summary.getDeployment(),
            summary.getModelId(),
            summary.getConfigId(),
            summary.getMetric());
    StoredWindow window = new StoredWindow(key, summary);
    if (window.end().isAfter(shelf.newestEnd)) {
      shelf.newestEnd = window.end();
    }
    if (shelf.expired(window)) {
      count(ignored, "window_expired");
    } else if (makeRoom(shelf, window)) {
      shelf.put(window);
    } else {
      count(ignored, "series_limit");
    }
    for (StoredWindow oldest = shelf.oldest();
        oldest != null && (shelf.bytes > shelf.maxBytes || shelf.expired(oldest));
        oldest = shelf.oldest()) {
      if (!shelf.expired(oldest)) {
        count(evicted, "window");
      }
      shelf.remove(oldest);
    }
  }

  private boolean makeRoom(Shelf shelf, StoredWindow window) {
    if (shelf.series.containsKey(window.series()) || shelf.series.size() < limits.series()) {
      return true;
    }
    boolean made = shelf.replaceSilent(window);
    if (made) {
      count(evicted, "series");
    }
    return made;
  }

  private void apply(ServingEvent event) {
    String key = event.getDeployment() + '\n' + event.getEventId();
    StoredEvent stored = new StoredEvent(event, EventCodec.encode(event).length);
    StoredEvent replaced = servingEvents.remove(key);
    servingEvents.put(key, stored);
    servingEventBytes += stored.bytes() - (replaced == null ? 0 : replaced.bytes());
    while (servingEvents.size() > limits.servingEvents()
        || servingEventBytes > limits.servingEventBytes()) {
      String oldest = servingEvents.keySet().iterator().next();
      StoredEvent gone = servingEvents.remove(oldest);
      servingEventBytes -= gone == null ? 0 : gone.bytes();
      count(evicted, "serving_event");
    }
  }

  private void apply(Correction correction) {
    // A late request is missing from every metric of its series, a late score from one.
    String metric = correction.getMetric() == null ? SeriesKey.ALL : correction.getMetric();
    String deployment = correction.getDeployment();
    add(
        new SeriesKey(deployment, correction.getModelId(), correction.getConfigId(), metric),
        correction.getCountsAt());
    add(new SeriesKey(deployment, SeriesKey.ALL, SeriesKey.ALL, metric), correction.getCountsAt());
  }

  private void add(SeriesKey key, Instant at) {
    corrections.computeIfAbsent(key, k -> new TreeMap<>()).merge(at, 1, Integer::sum);
    correctionOrder.addLast(new CorrectionAt(key, at));
    while (correctionOrder.size() > 2L * limits.corrections()) {
      CorrectionAt oldest = correctionOrder.removeFirst();
      NavigableMap<Instant, Integer> times = corrections.get(oldest.key());
      if (times != null) {
        times.computeIfPresent(oldest.at(), (t, n) -> n > 1 ? n - 1 : null);
        if (times.isEmpty()) {
          corrections.remove(oldest.key());
        }
      }
    }
  }

  private void apply(ConfigRecord config) {
    String configId = config.getConfigId();
    if (configId != null) {
      KnownConfig known = configs.get(configId);
      TreeSet<String> deployments =
          known == null ? new TreeSet<>() : new TreeSet<>(known.deployments());
      deployments.add(config.getDeployment());
      put(configs, configId, new KnownConfig(config, deployments), limits.configs());
    }
    String modelId = config.getModelId();
    if (modelId != null) {
      put(models, modelId, config, limits.configs());
    }
  }

  /**
   * Windows of one length per series, oldest first, series in the order of their key.
   *
   * @param length one of {@link #windowLengths()}
   * @param wanted which series
   * @param from windows that start at or after this, null for all
   * @param to windows that end at or before this, null for all
   * @throws IllegalArgumentException when windows of this length are not kept
   */
  public synchronized Map<SeriesKey, List<StoredWindow>> windows(
      Duration length, Predicate<SeriesKey> wanted, @Nullable Instant from, @Nullable Instant to) {
    Shelf shelf = shelves.get(length);
    if (shelf == null) {
      throw new IllegalArgumentException(
          "window length=" + length + ": must be one of " + windowLengths());
    }
    Map<SeriesKey, List<StoredWindow>> found = new LinkedHashMap<>();
    shelf.series.forEach(
        (key, windows) -> {
          if (!wanted.test(key)) {
            return;
          }
          NavigableMap<Instant, StoredWindow> tail =
              from == null ? windows : windows.tailMap(from, true);
          List<StoredWindow> list = new ArrayList<>();
          for (StoredWindow window : tail.values()) {
            if (to == null || !window.end().isAfter(to)) {
              list.add(window);
            }
          }
          if (!list.isEmpty()) {
            found.put(key, list);
          }
        });
    return found;
  }

  /**
   * The shortest window length whose windows since {@code from} are all still kept; else the
   * longest.
   */
  public synchronized Duration lengthSince(Instant from) {
    List<Duration> lengths = windowLengths();
    for (Duration length : lengths) {
      Shelf shelf = shelves.get(length);
      if (shelf != null
          && (shelf.newestEnd.equals(Instant.MIN)
              || !from.isBefore(shelf.newestEnd.minus(shelf.keep)))) {
        return length;
      }
    }
    return lengths.get(lengths.size() - 1);
  }

  /** The latest window of this length per series, in the order of their key. */
  public synchronized List<StoredWindow> latest(Duration length) {
    Shelf shelf = shelves.get(length);
    return shelf == null
        ? List.of()
        : shelf.series.values().stream().map(windows -> windows.lastEntry().getValue()).toList();
  }

  /**
   * Each series over all windows of one length that are kept, in the order of their key.
   *
   * @throws IllegalArgumentException when windows of this length are not kept, or the histograms of
   *     a series have different layouts
   */
  public Map<SeriesKey, WindowStatistics> overall(Duration length) {
    Map<SeriesKey, WindowStatistics> merged = new LinkedHashMap<>();
    windows(length, series -> true, null, null)
        .forEach((series, windows) -> merged.put(series, RangeMerge.merge(windows)));
    return merged;
  }

  /**
   * Records that came too late for their pane in this series between start (included) and end (not
   * included).
   */
  public synchronized long corrections(SeriesKey series, Instant start, Instant end) {
    String modelId = series.configId().equals(SeriesKey.ALL) ? SeriesKey.ALL : series.modelId();
    long sum = 0;
    for (String metric : List.of(SeriesKey.ALL, series.metric())) {
      NavigableMap<Instant, Integer> times =
          corrections.get(new SeriesKey(series.deployment(), modelId, series.configId(), metric));
      if (times != null) {
        sum +=
            times.subMap(start, true, end, false).values().stream()
                .mapToLong(Integer::longValue)
                .sum();
      }
    }
    return sum;
  }

  /** What a configuration id means, null when no record has said it. */
  public synchronized @Nullable KnownConfig config(String configId) {
    return configs.get(configId);
  }

  /** The record that says what a model id means, null when none has. */
  public synchronized @Nullable ConfigRecord model(String modelId) {
    return models.get(modelId);
  }

  /** The configurations known, by id. */
  public synchronized Map<String, KnownConfig> configs() {
    return new TreeMap<>(configs);
  }

  /** The models known, by id. */
  public synchronized Map<String, ConfigRecord> models() {
    return new TreeMap<>(models);
  }

  /** Serving events, oldest first. */
  public synchronized List<ServingEvent> servingEvents() {
    return servingEvents.values().stream()
        .map(StoredEvent::event)
        .sorted(Comparator.comparing(ServingEvent::getAt).thenComparing(ServingEvent::getEventId))
        .toList();
  }

  /** Latest state of each finding, by onset. */
  public synchronized List<Finding> findings() {
    return findings.values().stream()
        .sorted(Comparator.comparing(Finding::getOnsetAt).thenComparing(Finding::getFindingId))
        .toList();
  }

  /** Dead letters by reason, within the retention of their topic. */
  public synchronized Map<String, Long> deadLetters() {
    return new TreeMap<>(deadLetters);
  }

  /** Records that were not taken, by reason. */
  public synchronized Map<String, Long> ignored() {
    return new TreeMap<>(ignored);
  }

  /** What was let go for lack of room, by kind: windows, whole series, serving events. */
  public synchronized Map<String, Long> evicted() {
    return new TreeMap<>(evicted);
  }

  /** What was not taken or let go, under the counter names that the metrics know. */
  public synchronized Map<String, Long> counters() {
    Map<String, Long> counters = new TreeMap<>();
    ignored.forEach((reason, n) -> counters.put("read_model_ignored_" + reason, n));
    evicted.forEach((kind, n) -> counters.put("read_model_evicted_" + kind, n));
    return counters;
  }

  /** The latest window of the shortest length of each series, as the metrics show it. */
  public List<SeriesSample> samples() {
    return latest(limits.windows().get(0).length()).stream().map(StoredWindow::sample).toList();
  }

  /** The dictionary, as the metrics show it. */
  public List<ConfigLabels> configLabels() {
    return configs().values().stream().map(c -> ConfigText.labels(c.record())).toList();
  }

  /** Encoded windows held, in bytes. */
  public synchronized long windowBytes() {
    return shelves.values().stream().mapToLong(shelf -> shelf.bytes).sum();
  }
}
