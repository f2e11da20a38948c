package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.LoadMeter;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.schemas.avro.PaneKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** One metric of the reference traffic as merged panes of one minute, the way the judge gets it. */
final class SimulatedSeries {
  static final long PANE_MICROS = 60_000_000;
  static final int NODES = 3;

  private static final Comparator<List<String>> BY_TEXT = Comparator.comparing(List::toString);

  private final HistogramLayout layout;
  private final List<CellPane> panes = new ArrayList<>();
  private final LoadMeter meter = new LoadMeter(PANE_MICROS);

  /** What goes wrong: the value of a request instead of its own. */
  interface Fault {
    double value(ReferenceTraffic.Minute minute, int request, double value);
  }

  private final Fault fault;

  private final int minutes;

  /** Without panes: what {@link #paneOf} makes is not kept. */
  static SimulatedSeries open(String metric) {
    return new SimulatedSeries(metric, Integer.MAX_VALUE, (minute, request, value) -> value);
  }

  private SimulatedSeries(String metric, int minutes, Fault fault) {
    this.minutes = minutes;
    this.fault = fault;
    layout = new MetricLayouts().layoutOf(metric);
  }

  /** CLIP scores. */
  static SimulatedSeries clip(ReferenceTraffic traffic) {
    return clip(traffic, traffic.minutes(), (minute, request, value) -> value);
  }

  /** CLIP scores of the first minutes, with a fault. */
  static SimulatedSeries clip(ReferenceTraffic traffic, int minutes, Fault fault) {
    SimulatedSeries series = new SimulatedSeries("clip", minutes, fault);
    traffic.forEachMinute(minute -> series.add(minute, false));
    return series;
  }

  /** Latencies. */
  static SimulatedSeries latency(ReferenceTraffic traffic) {
    return latency(traffic, traffic.minutes(), (minute, request, value) -> value);
  }

  /** Latencies of the first minutes in seconds, with a fault. */
  static SimulatedSeries latency(ReferenceTraffic traffic, int minutes, Fault fault) {
    SimulatedSeries series = new SimulatedSeries("latency", minutes, fault);
    traffic.forEachMinute(minute -> series.add(minute, true));
    return series;
  }

  private void add(ReferenceTraffic.Minute minute, boolean latency) {
    if (minute.index() < minutes) {
      panes.add(paneOf(minute, latency));
    }
  }

  /** The next minute. */
  CellPane paneOf(ReferenceTraffic.Minute minute, boolean latency) {
    Map<List<String>, double[]> values = new HashMap<>();
    for (int i = 0; i < minute.size(); i++) {
      int batch = minute.batch(i);
      List<String> key =
          List.of(
              batch == 1 ? "1" : batch < 4 ? "2-3" : batch < 8 ? "4-7" : "8-15",
              minute.hit(i) ? "hit" : "miss",
              minute.preempted(i) ? "yes" : "no",
              Integer.toString(minute.promptClass(i)));
      double[] before = values.getOrDefault(key, new double[0]);
      double[] after = Arrays.copyOf(before, before.length + 1);
      after[before.length] =
          fault.value(minute, i, latency ? minute.latencySeconds(i) : minute.clip(i));
      values.put(key, after);
    }
    SortedMap<List<String>, ValueDistribution> cells = new TreeMap<>(BY_TEXT);
    values.forEach(
        (key, of) ->
            cells.put(
                List.of(
                    "batch=" + key.get(0),
                    "cache=" + key.get(1),
                    "preempted=" + key.get(2),
                    "prompt_class=" + key.get(3),
                    "workload=unknown"),
                ValueDistribution.of(layout, of, ValueDistribution.Detail.BINS)));
    ValueDistribution total =
        cells.isEmpty()
            ? ValueDistribution.empty(layout)
            : ValueDistribution.merge(List.copyOf(cells.values()));
    for (int node = 0; node < NODES; node++) {
      double[] of = ofNode(minute, latency, node);
      cells.put(
          List.of("node=n" + node),
          of.length == 0
              ? ValueDistribution.empty(layout)
              : ValueDistribution.of(layout, of, ValueDistribution.Detail.BINS));
    }
    long start = minute.index() * PANE_MICROS;
    MergedPane.Series series =
        new MergedPane.Series(new SeriesKey("d", "m", "c", "x"), total, cells);
    MergedPane pane =
        new MergedPane("d", PaneKind.LATENCY, start, start + PANE_MICROS, List.of(series));
    return CellPane.of(pane, series, meter.observe(start, (double) minute.size()));
  }

  /** Requests go round the nodes. */
  private double[] ofNode(ReferenceTraffic.Minute minute, boolean latency, int node) {
    return IntStream.range(0, minute.size())
        .filter(i -> i % NODES == node)
        .mapToDouble(
            i -> fault.value(minute, i, latency ? minute.latencySeconds(i) : minute.clip(i)))
        .toArray();
  }

  /** The baseline of the first minutes. */
  Baseline baseline(FamilySpec spec, int minutes) {
    return BaselineLearner.learn(spec, layout, panes.subList(0, minutes), PANE_MICROS);
  }

  /** Panes as counted against a baseline, from a minute on. */
  List<PaneCounts> counts(Baseline baseline, int from) {
    PaneCutter cutter = new PaneCutter(baseline);
    return panes.subList(from, panes.size()).stream().map(cutter::cut).toList();
  }

  HistogramLayout layout() {
    return layout;
  }

  List<CellPane> panes() {
    return panes;
  }
}
