package io.servedrift.monitors.attribution;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.LoadMeter;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.DeploymentAggregator;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.PaneSink;
import io.servedrift.monitors.pane.PartitionAggregator;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.testkit.Scenario;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.specific.SpecificRecord;

/**
 * Runs a scenario through both pane stages, as the product does, and keeps the panes of its series.
 */
final class PaneRun {
  private static final long MINUTE = 60_000_000;
  private static final Duration TICK = Duration.ofSeconds(10);

  private final SortedMap<SeriesKey, List<CellPane>> series = new TreeMap<>();
  private final List<ServingEvent> events = new ArrayList<>();
  private final SortedMap<Long, Integer> arrivals = new TreeMap<>();
  private final List<MergedPane> panes = new ArrayList<>();

  private PaneRun() {}

  /**
   * Runs.
   *
   * @param metrics series of other metrics are not kept
   */
  static PaneRun of(Scenario scenario, Set<String> metrics) {
    PaneRun run = new PaneRun();
    run.aggregate(scenario);
    SortedMap<Long, Double> loads = run.loads();
    for (MergedPane pane : run.panes) {
      for (MergedPane.Series one : pane.series()) {
        if (metrics.contains(one.key().metric())) {
          run.series
              .computeIfAbsent(one.key(), key -> new ArrayList<>())
              .add(CellPane.of(pane, one, loads.getOrDefault(pane.startMicros(), 0.0)));
        }
      }
    }
    run.panes.clear();
    return run;
  }

  private void aggregate(Scenario scenario) {
    Tally tally = new Tally();
    DeploymentAggregator second =
        new DeploymentAggregator(
            PaneSettings.defaults(), new MetricLayouts(), new Panes(), StateJournal.NONE, tally);
    PartitionAggregator first =
        new PartitionAggregator(
            0, 1, PaneSettings.defaults(), new MetricLayouts(), new ToSecond(second), tally, false);
    Instant[] tick = {scenario.settings().start()};
    scenario.run(
        event -> {
          Instant at = EventTimes.of(event);
          while (tick[0].isBefore(at)) {
            tick(first, tick[0]);
            tick[0] = tick[0].plus(TICK);
          }
          if (event instanceof RequestEvent request) {
            arrivals.merge(minute(request.getArrivedAt()), 1, Integer::sum);
            first.accept(Channel.REQUESTS, request, "simulation", null);
          } else if (event instanceof ScoreEvent score) {
            first.accept(Channel.SCORES, score, "simulation", null);
          } else if (event instanceof ServingEvent serving) {
            events.add(serving);
          }
        });
    Instant end = tick[0].plus(Duration.ofMinutes(30));
    for (; tick[0].isBefore(end); tick[0] = tick[0].plus(TICK)) {
      tick(first, tick[0]);
    }
  }

  private static void tick(PartitionAggregator first, Instant at) {
    first.accept(Channel.REQUESTS, new Tick(at), "simulation", null);
    first.accept(Channel.SCORES, new Tick(at), "simulation", null);
  }

  private static long minute(Instant at) {
    return Math.floorDiv(at.getEpochSecond(), 60L) * MINUTE;
  }

  private SortedMap<Long, Double> loads() {
    LoadMeter meter = new LoadMeter(MINUTE);
    SortedMap<Long, Double> loads = new TreeMap<>();
    for (long at = arrivals.firstKey(); at <= arrivals.lastKey() + 60 * MINUTE; at += MINUTE) {
      loads.put(at, meter.observe(at, arrivals.getOrDefault(at, 0)));
    }
    return loads;
  }

  /** Panes of a series in time order; empty when there is none. */
  List<CellPane> panes(SeriesKey key) {
    return List.copyOf(series.getOrDefault(key, List.of()));
  }

  /** Panes of a series that start in a stretch of time. */
  List<CellPane> panes(SeriesKey key, Instant from, Instant to) {
    return panes(key).stream()
        .filter(p -> p.startMicros() >= micros(from) && p.startMicros() < micros(to))
        .toList();
  }

  private static long micros(Instant at) {
    return at.getEpochSecond() * 1_000_000 + at.getNano() / 1_000;
  }

  /** All series kept. */
  Set<SeriesKey> series() {
    return new TreeSet<>(series.keySet());
  }

  /** Serving events in time order. */
  List<ServingEvent> servingEvents() {
    return List.copyOf(events);
  }

  private final class Panes implements DeploymentAggregator.Output {
    @Override
    public void passed(PaneKind kind, long micros) {}

    @Override
    public void pane(MergedPane pane) {
      panes.add(pane);
    }

    @Override
    public void window(WindowSummary window) {}

    @Override
    public void correction(Correction correction) {}
  }

  private record ToSecond(DeploymentAggregator second) implements PaneSink {
    @Override
    public void pane(PaneSummary summary) {
      second.accept(summary);
    }

    @Override
    public void watermark(Watermark watermark) {
      second.accept(watermark);
    }

    @Override
    public void correction(Correction correction) {
      send(correction);
    }

    private void send(SpecificRecord record) {
      second.accept(record);
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
      throw new IllegalStateException("simulated record refused: " + why);
    }
  }
}
