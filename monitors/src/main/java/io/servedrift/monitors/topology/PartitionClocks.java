package io.servedrift.monitors.topology;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far event time has come in each partition of the requests topic that this process reads. For
 * metrics only; nothing is decided by it. Thread-safe.
 */
public final class PartitionClocks {
  private final Map<String, Long> micros = new ConcurrentHashMap<>();

  void set(String partition, long clockMicros) {
    micros.put(partition, clockMicros);
  }

  void remove(String partition) {
    micros.remove(partition);
  }

  /**
   * Seconds that each partition's event time lies behind an instant, by {@code topic-partition}.
   */
  public Map<String, Double> lagSeconds(Instant now) {
    Map<String, Double> lags = new TreeMap<>();
    micros.forEach(
        (partition, clock) -> lags.put(partition, (now.toEpochMilli() * 1000.0 - clock) / 1e6));
    return lags;
  }
}
