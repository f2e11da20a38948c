package io.servedrift.monitors.ops;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.servedrift.monitors.ops.MonitorMetrics.Family;
import io.servedrift.monitors.ops.MonitorMetrics.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The state of this instance's Kafka Streams client, and how much of its partitions it has still to
 * read. Thread-safe if the suppliers are.
 */
public final class StreamsMetrics implements MultiCollector {
  private static final Family STATE =
      new Family(
          "servedrift_streams_state",
          Kind.GAUGE,
          List.of("state"),
          "1 for the state of the topology, 0 for the others; only running reads.");
  private static final Family LAG =
      new Family(
          "servedrift_consumer_lag_records",
          Kind.GAUGE,
          List.of("topic", "partition"),
          "Records of a partition of this instance that are committed and not yet read.");

  /**
   * A partition.
   *
   * @param topic its topic
   * @param partition its number
   */
  public record Partition(String topic, int partition) implements Comparable<Partition> {
    @Override
    public int compareTo(Partition other) {
      int byTopic = topic.compareTo(other.topic);
      return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }
  }

  private final List<String> states;
  private final Supplier<String> state;
  private final Supplier<Map<Partition, Long>> lag;

  /**
   * Metrics over these suppliers.
   *
   * @param states every state there is
   * @param state the state now, one of them
   * @param lag records to read, by partition
   */
  public StreamsMetrics(
      List<String> states, Supplier<String> state, Supplier<Map<Partition, Long>> lag) {
    this.states = List.copyOf(states);
    this.state = state;
    this.lag = lag;
  }

  /** Its families, for the documentation's table. */
  static List<Family> families() {
    return List.of(STATE, LAG);
  }

  @Override
  public MetricSnapshots collect() {
    String now = state.get();
    Map<Labels, Double> set = new LinkedHashMap<>();
    for (String each : states) {
      set.put(Labels.of("state", each.toLowerCase(Locale.ROOT)), each.equals(now) ? 1.0 : 0.0);
    }
    Map<Labels, Double> lags = new LinkedHashMap<>();
    new TreeMap<>(lag.get())
        .forEach(
            (partition, records) ->
                lags.put(
                    Labels.of(
                        "topic",
                        partition.topic(),
                        "partition",
                        Integer.toString(partition.partition())),
                    (double) records));
    return MetricSnapshots.of(STATE.snapshot(set), LAG.snapshot(lags));
  }
}
