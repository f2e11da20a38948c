package io.servedrift.monitors.testkit;

import io.servedrift.monitors.testkit.ReferenceTraffic.Minute;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.time.Instant;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;

/**
 * Adds what the peers say on the reference traffic to a scorer, so that they stand in the same
 * table as the monitor. Peers name no cause: {@code unexplained} stands for it. Immutable.
 */
public final class PeerComparison {
  /** The two metrics of the reference traffic. */
  public enum Metric {
    CLIP("clip", Minute::clip),
    /** Latencies on a logarithmic scale, which is kinder to every peer. */
    LATENCY("latency", Minute::logLatency);

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // method references without state
    private final ToDoubleBiFunction<Minute, Integer> value;

    Metric(String label, ToDoubleBiFunction<Minute, Integer> value) {
      this.label = label;
      this.value = value;
    }

    /** Name in findings. */
    public String label() {
      return label;
    }
  }

  /** Start of the series, a Monday. */
  static final Instant START = Instant.parse("2026-03-02T00:00:00Z");

  private final Regime regime;
  private final int days;
  private final double perMinute;

  /**
   * @param days length of a series, the reference week included
   * @param perMinute mean arrivals per minute
   */
  public PeerComparison(Regime regime, int days, double perMinute) {
    this.regime = regime;
    this.days = days;
    this.perMinute = perMinute;
  }

  /** Runs all peers over one metric of series in which nothing goes wrong. */
  public void addQuiet(Metric metric, long firstSeed, int series, ScenarioScorer scorer) {
    for (int i = 0; i < series; i++) {
      long seed = firstSeed + i;
      ReferenceTraffic traffic = ReferenceTraffic.of(seed, days, regime, perMinute);
      add(metric, traffic, seed, Truth.SILENCE, ReferenceTraffic.REFERENCE_MINUTES, scorer);
    }
  }

  /**
   * Runs all peers over one metric of series with a change.
   *
   * @param atMinute of the change, after the reference week
   */
  public void addChanged(
      Metric metric,
      ReferenceTraffic.Change change,
      int atMinute,
      long firstSeed,
      int series,
      ScenarioScorer scorer) {
    Truth truth =
        switch (change) {
          case NONE -> Truth.SILENCE;
          case CACHE_CLIP -> Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit"), "clip");
          case BATCH_P99 -> Truth.worse(CauseLabel.BATCHING, Map.of("batch", "8-15"), "latency");
        };
    for (int i = 0; i < series; i++) {
      long seed = firstSeed + i;
      ReferenceTraffic traffic =
          ReferenceTraffic.of(seed, days, regime, perMinute).with(change, atMinute);
      add(metric, traffic, seed, truth, atMinute, scorer);
    }
  }

  private static void add(
      Metric metric,
      ReferenceTraffic traffic,
      long seed,
      Truth truth,
      int onsetMinute,
      ScenarioScorer scorer) {
    PeerRun run = new PeerRun(ReferenceTraffic.REFERENCE_MINUTES, seed);
    long[] perMinute = new long[traffic.minutes()];
    traffic.forEachMinute(
        m -> {
          perMinute[m.index()] = m.size();
          for (int i = 0; i < m.size(); i++) {
            run.add(m.index(), metric.value.applyAsDouble(m, i));
          }
        });
    run.closeHoursBefore(traffic.minutes());
    FinishTimes requests = FinishTimes.of(ends(perMinute));
    for (Peer peer : Peer.values()) {
      scorer.add(
          new Observation(
              peer.label(),
              truth,
              at(ReferenceTraffic.REFERENCE_MINUTES),
              at(onsetMinute),
              at(traffic.minutes()),
              requests,
              run.alarms(peer).stream()
                  .map(
                      minute -> new Outcome(at(minute), metric.label, CauseLabel.UNEXPLAINED, true))
                  .toList()));
    }
  }

  /** The requests of a minute count at its start. */
  private static long[] ends(long[] perMinute) {
    int n = 0;
    for (long k : perMinute) {
      n += (int) k;
    }
    long[] ends = new long[n];
    int next = 0;
    for (int minute = 0; minute < perMinute.length; minute++) {
      for (int i = 0; i < perMinute[minute]; i++) {
        ends[next++] = (START.getEpochSecond() + 60L * minute) * 1_000_000;
      }
    }
    return ends;
  }

  private static Instant at(int minute) {
    return START.plusSeconds(60L * minute);
  }
}
