package io.servedrift.monitors.topology;

import io.servedrift.monitors.ops.LatencyPane;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.schemas.avro.PaneSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a closed pane adds to the latency histogram. */
final class LatencyPanes {
  private LatencyPanes() {}

  /** The latencies of a pane; empty for panes of another metric. */
  static Optional<LatencyPane> of(PaneSummary pane) {
    if (!pane.getMetric().equals("latency")) {
      return Optional.empty();
    }
    ValueDistribution total = ValueDistribution.fromAvro(pane.getTotal());
    if (total.n() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new LatencyPane(
            pane.getDeployment(),
            pane.getModelId(),
            pane.getConfigId(),
            pane.getEnd(),
            counted(total),
            total.mean() * total.n(),
            pane.getExemplars().stream()
                .map(e -> new LatencyPane.Example(e.getRequestId(), e.getValue(), e.getAt()))
                .toList()));
  }

  private static List<LatencyPane.Counted> counted(ValueDistribution total) {
    List<LatencyPane.Counted> all = new ArrayList<>();
    double[] values = total.values();
    if (values != null) {
      for (double value : values) {
        all.add(new LatencyPane.Counted(value, 1));
      }
      return all;
    }
    HistogramLayout layout = total.layout();
    int[] bins = total.bins();
    long[] counts = total.counts();
    for (int i = 0; i < bins.length; i++) {
      all.add(new LatencyPane.Counted(layout.midpoint(bins[i]), counts[i]));
    }
    return all;
  }
}
