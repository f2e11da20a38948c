package io.servedrift.monitors.report;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.schemas.avro.PaneKind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** Panes of one series, one minute each, with the values that a test gives per cell. */
final class Panes {
  static final SeriesKey CLIP = new SeriesKey("image-gen", "m1", "c1", "clip");

  private Panes() {}

  static MergedPane pane(SeriesKey key, int minute, Map<List<String>, double[]> cells) {
    HistogramLayout layout = new MetricLayouts().layoutOf(key.metric());
    SortedMap<List<String>, ValueDistribution> values =
        new TreeMap<>(Comparator.comparing(List::toString));
    cells.forEach(
        (cell, inside) ->
            values.put(cell, ValueDistribution.of(layout, inside, ValueDistribution.Detail.BINS)));
    double[] all =
        cells.entrySet().stream()
            .filter(cell -> cell.getKey().size() > 1)
            .flatMapToDouble(cell -> DoubleStream.of(cell.getValue()))
            .toArray();
    MergedPane.Series series =
        new MergedPane.Series(key, ValueDistribution.of(layout, all), values);
    return new MergedPane(
        key.deployment(),
        PaneKind.SCORE,
        minute * 60_000_000L,
        (minute + 1) * 60_000_000L,
        List.of(series));
  }

  /** As many values as wanted, half of them below and half above the middle by the same. */
  static double[] around(double middle, double by, int n) {
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = middle + (i % 2 == 0 ? by : -by);
    }
    return values;
  }

  static double[] of(double value, int n) {
    double[] values = new double[n];
    Arrays.fill(values, value);
    return values;
  }
}
