package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.testkit.PeerComparison.Metric;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import java.util.ArrayList;
import java.util.List;

/**
 * What the families of one metric say on the reference traffic, every minute after the week that
 * they learn from. After an alarm the family starts again. Not thread-safe.
 */
public final class ReferenceAlarms {
  private final double level;
  private final boolean latency;
  private final List<FamilySpec> specs;
  private final SimulatedSeries series;
  private final List<CellPane> reference = new ArrayList<>();
  private final List<PaneCutter> cutters = new ArrayList<>();
  private final List<FamilyDetector> detectors = new ArrayList<>();
  private final List<Integer> alarms = new ArrayList<>();

  private ReferenceAlarms(Metric metric, double level) {
    this.level = level;
    latency = metric == Metric.LATENCY;
    series = SimulatedSeries.open(metric.label());
    List<FamilySpec> plain =
        latency
            ? List.of(FamilySpec.durationTail(), FamilySpec.durationMean())
            : List.of(FamilySpec.scoreMean(), FamilySpec.scoreTail());
    specs = plain.stream().map(spec -> spec.slicedInto(FamilySpec.MOST_SLICES)).toList();
  }

  /**
   * The ends of the minutes in which a family of the metric alarmed, rising.
   *
   * @param level M of an alarm, minutes
   */
  public static List<Integer> minutes(ReferenceTraffic traffic, Metric metric, double level) {
    ReferenceAlarms run = new ReferenceAlarms(metric, level);
    traffic.forEachMinute(run::take);
    return List.copyOf(run.alarms);
  }

  private void take(ReferenceTraffic.Minute minute) {
    CellPane pane = series.paneOf(minute, latency);
    if (minute.index() < ReferenceTraffic.REFERENCE_MINUTES) {
      reference.add(pane);
      return;
    }
    if (detectors.isEmpty()) {
      learn();
    }
    for (int i = 0; i < detectors.size(); i++) {
      PaneCounts counts = cutters.get(i).cut(pane);
      if (detectors.get(i).next(counts).statistic() >= level) {
        alarms.add(minute.index() + 1);
        detectors.get(i).restart();
      }
    }
  }

  private void learn() {
    for (FamilySpec spec : specs) {
      Baseline baseline =
          BaselineLearner.learn(spec, series.layout(), reference, SimulatedSeries.PANE_MICROS);
      cutters.add(new PaneCutter(baseline));
      detectors.add(new FamilyDetector(baseline));
    }
    reference.clear();
  }
}
