package io.servedrift.monitors.alert;

import io.servedrift.monitors.pane.Covariate;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.policy.MetricPolicy;
import io.servedrift.monitors.policy.MetricPolicy.NoData;
import io.servedrift.monitors.policy.MetricPolicy.SeverityCap;
import io.servedrift.monitors.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says which data is missing: of a deployment that served and is silent, or of a metric while
 * requests go on. Fed with the windows topic, from whose records a restart rebuilds it; what it
 * says is a function of them.
 *
 * <p>Something is missing when all of these hold:
 *
 * <ul>
 *   <li>nothing came for {@code least} (15 min), and for twice the usual gap of the series;
 *   <li>{@value #EXPECTED} values were to be expected since. For requests: as many as came in the
 *       same span a week before; in the first week, a day before; on the first day, at the mean
 *       rate so far. With Poisson arrivals at that rate, a span without any has the probability
 *       e^-20. For a metric: the requests since its last value times its usual share of them, so
 *       neither the night nor a configuration that was replaced matters;
 *   <li>the series had values for an hour at least, and is not silent for a week: that is retired.
 * </ul>
 *
 * <p>Time is how far the windows of every partition are closed, never a clock: while the monitor is
 * down or behind, nobody can know what is missing, and other alerts tell. In maintenance nothing is
 * missing. Thread-safe.
 */
public final class DataWatch {
  /** Values that must have been expected. */
  static final long EXPECTED = 20;

  /** A silence of this length means that the deployment is retired. */
  static final Duration RETIRED = Duration.ofDays(7);

  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LEAST_HISTORY = Duration.ofHours(1);
  private static final Duration LEAST_SLOT = Duration.ofMinutes(5);

  /** Every counted request is in it, whatever became of it. */
  private static final String REQUESTS = "error_ratio";

  /** A silent deployment is told once, by the rule of this metric. */
  private static final String LATENCY = "latency";

  /** Series of one kind at most, the longest unheard go first; 9 kB each at 5 min. */
  private static final int MOST_SERIES = 2_000;

  private static final int MOST_DEPLOYMENTS = 1_000;

  private final Policy policy;
  private final MetricLayouts layouts;
  private final Duration least;
  private final Duration window;
  private final Duration slot;

  /** Of the deployments over all configurations, and of single configurations. */
  private final Map<SeriesKey, Presence> wide = new Newest<>(MOST_SERIES);

  private final Map<SeriesKey, Presence> narrow = new Newest<>(MOST_SERIES);
  private final Map<String, Instant> heartbeats = new Newest<>(MOST_DEPLOYMENTS);
  private final Map<Ruled, MetricPolicy> rules = new Newest<>(MOST_SERIES);
  private final Map<Integer, Instant> closed = new HashMap<>();
  private int partitions = Integer.MAX_VALUE;

  /** What a rule is for. */
  private record Ruled(String deployment, String metric) {}

  /**
   * A watch that has seen nothing.
   *
   * @param policy says what missing data of a metric means ({@code no_data})
   * @param layouts which scores are 0/1
   * @param least shortest silence that is told
   * @param window shortest window length; other windows are not listened to
   */
  public DataWatch(Policy policy, MetricLayouts layouts, Duration least, Duration window) {
    this.policy = policy;
    this.layouts = layouts;
    this.least = least;
    this.window = window;
    this.slot =
        window.compareTo(LEAST_SLOT) > 0 && Presence.KEPT.toMillis() % window.toMillis() == 0
            ? window
            : LEAST_SLOT;
  }

  /** Takes how many partitions the windows topic has. */
  public synchronized void partitions(int count) {
    partitions = count;
  }

  /**
   * Takes a closed window; those of other lengths say nothing new.
   *
   * @param n values in it
   */
  public synchronized void window(SeriesKey key, Instant start, Instant end, long n) {
    boolean ours = Duration.between(start, end).equals(window);
    if (ours && n > 0 && isWatched(key)) {
      (isWide(key) ? wide : narrow)
          .computeIfAbsent(key, k -> new Presence(slot))
          .add(start, end, n);
    }
  }

  /** Takes a sign of life of a node. */
  public synchronized void heartbeat(String deployment, Instant at) {
    heartbeats.merge(deployment, at, (a, b) -> a.isAfter(b) ? a : b);
  }

  /** Takes that every window of a partition that ends by then has been given. */
  public synchronized void closedThrough(int partition, Instant through) {
    closed.merge(partition, through, (a, b) -> a.isAfter(b) ? a : b);
  }

  /** Through when the windows of every partition are known; empty before that is known of each. */
  public synchronized Optional<Instant> closedThrough() {
    return closed.size() < partitions
        ? Optional.empty()
        : closed.values().stream().min(Comparator.naturalOrder());
  }

  /**
   * What is missing at {@link #closedThrough()}, in a fixed order; nothing before that is known.
   */
  public List<MissingData> check() {
    return closedThrough().map(this::check).orElse(List.of());
  }

  /** What is missing, from deployment to configuration. */
  synchronized List<MissingData> check(Instant now) {
    List<MissingData> missing = new ArrayList<>();
    for (Map.Entry<SeriesKey, Presence> series : new TreeMap<>(wide).entrySet()) {
      check(series.getKey(), series.getValue(), now).ifPresent(missing::add);
    }
    List<MissingData> ofConfigurations = new ArrayList<>();
    for (Map.Entry<SeriesKey, Presence> series : new TreeMap<>(narrow).entrySet()) {
      check(series.getKey(), series.getValue(), now)
          .filter(one -> missing.stream().noneMatch(all -> covers(all, one)))
          .ifPresent(ofConfigurations::add);
    }
    missing.addAll(ofConfigurations);
    return List.copyOf(missing);
  }

  /** What is gone for the whole deployment is not told for each configuration again. */
  private static boolean covers(MissingData all, MissingData one) {
    return all.deployment().equals(one.deployment()) && all.metric().equals(one.metric());
  }

  private Optional<MissingData> check(SeriesKey key, Presence presence, Instant now) {
    boolean requests = key.metric().equals(REQUESTS);
    boolean told = !requests || (isWide(key) && isTold(rule(key.deployment(), LATENCY)));
    Duration silent = Duration.between(presence.last(), now);
    if (!told
        || silent.compareTo(least) < 0
        || silent.compareTo(RETIRED) > 0
        || Duration.between(presence.first(), presence.last()).compareTo(LEAST_HISTORY) < 0
        || policy.maintenance(key.deployment(), now.toEpochMilli() * 1000).isPresent()
        || silent.compareTo(presence.usualGap().multipliedBy(2)) < 0) {
      return Optional.empty();
    }
    long expected = requests ? expectedRequests(presence, now) : expectedValues(key, presence, now);
    if (expected < EXPECTED) {
      return Optional.empty();
    }
    return Optional.of(
        requests ? silence(key, presence, now, expected) : gone(key, presence, expected));
  }

  private static long expectedRequests(Presence presence, Instant now) {
    Instant last = presence.last();
    Duration history = Duration.between(presence.first(), last);
    Duration back = history.compareTo(RETIRED) >= 0 ? RETIRED : DAY;
    if (history.compareTo(back) >= 0) {
      return presence.count(last.minus(back), now.minus(back));
    }
    long seen = presence.count(presence.first(), last);
    long silent = Duration.between(last, now).toSeconds();
    return seen * silent / history.toSeconds();
  }

  private long expectedValues(SeriesKey key, Presence presence, Instant now) {
    SeriesKey requestsKey =
        new SeriesKey(key.deployment(), key.modelId(), key.configId(), REQUESTS);
    Presence requests = (isWide(key) ? wide : narrow).get(requestsKey);
    if (requests == null) {
      return 0;
    }
    Instant last = presence.last();
    Instant from = last.minus(DAY).isAfter(presence.first()) ? last.minus(DAY) : presence.first();
    long usualRequests = requests.count(from, last);
    if (usualRequests == 0) {
      return 0;
    }
    double share = Math.min(1, (double) presence.count(from, last) / usualRequests);
    return (long) (share * requests.count(last, now));
  }

  private MissingData silence(SeriesKey key, Presence presence, Instant now, long expected) {
    Instant heartbeat = heartbeats.get(key.deployment());
    boolean lives = heartbeat != null && heartbeat.isAfter(now.minus(least));
    SeverityCap severity = severity(rule(key.deployment(), LATENCY));
    return new MissingData(
        key.deployment(),
        SeriesKey.ALL,
        SeriesKey.ALL,
        MissingData.ALL,
        lives ? SeverityCap.TICKET : severity,
        lives ? MissingData.Kind.NO_TRAFFIC : MissingData.Kind.SILENT,
        presence.last(),
        expected,
        heartbeat);
  }

  private MissingData gone(SeriesKey key, Presence presence, long expected) {
    return new MissingData(
        key.deployment(),
        key.modelId(),
        key.configId(),
        key.metric(),
        severity(rule(key.deployment(), key.metric())),
        MissingData.Kind.METRIC_GONE,
        presence.last(),
        expected,
        heartbeats.get(key.deployment()));
  }

  /** Requests, and metrics whose absence somebody wants to be told; latency comes with requests. */
  private boolean isWatched(SeriesKey key) {
    boolean folded = // comes and goes with what has a place of its own
        key.deployment().equals(Covariate.OTHER) || key.configId().equals(Covariate.OTHER);
    boolean wanted =
        key.metric().equals(REQUESTS)
            || (!key.metric().equals(LATENCY) && isTold(rule(key.deployment(), key.metric())));
    return wanted && !folded;
  }

  private static boolean isTold(MetricPolicy rule) {
    return rule.noData() != NoData.IGNORE && !rule.muted();
  }

  private MetricPolicy rule(String deployment, String metric) {
    return rules.computeIfAbsent(
        new Ruled(deployment, metric), r -> policy.metric(deployment, metric, layouts));
  }

  private static SeverityCap severity(MetricPolicy rule) {
    return rule.noData() == NoData.PAGE ? rule.severityCap() : SeverityCap.TICKET;
  }

  private static boolean isWide(SeriesKey key) {
    return key.configId().equals(SeriesKey.ALL);
  }

  /** Bounded; what was not touched for longest goes first. */
  private static final class Newest<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;
    private final int most;

    Newest(int most) {
      super(16, 0.75f, true);
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.@Nullable Entry<K, V> eldest) {
      return size() > most;
    }
  }
}
