package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.Floors;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.policy.MetricPolicy;
import java.util.List;

/**
 * Which families of tests watch a metric. Durations: the tail, and for the whole request the body
 * too (queues are often zero, stages are parts). Scores: mean and lower tail. Ratios: failures.
 *
 * @param duration whether the metric is a duration
 * @param specs against the series itself or a predecessor
 * @param marginal against the deployment before, traffic not set aside
 */
record MetricFamilies(boolean duration, List<FamilySpec> specs, List<FamilySpec> marginal) {

  static MetricFamilies of(String metric, HistogramLayout layout, MetricPolicy policy) {
    MetricFamilies plain = plain(metric, layout, policy);
    return new MetricFamilies(
        plain.duration,
        plain.specs.stream().map(spec -> spec.slicedInto(FamilySpec.MOST_SLICES)).toList(),
        plain.marginal);
  }

  private static MetricFamilies plain(String metric, HistogramLayout layout, MetricPolicy policy) {
    if (layout.isBinary()) {
      return new MetricFamilies(
          false, List.of(FamilySpec.failureRatio(policy.failure().orElse(1))), List.of());
    }
    if (layout.equals(HistogramLayout.DURATIONS)) {
      boolean whole = metric.equals("latency") || metric.equals("inference");
      return new MetricFamilies(
          true,
          whole
              ? List.of(FamilySpec.durationTail(), FamilySpec.durationMean())
              : List.of(FamilySpec.durationTail()),
          metric.equals("latency")
              ? List.of(FamilySpec.durationTail(), FamilySpec.durationMean())
              : List.of());
    }
    FamilySpec mean = FamilySpec.scoreMean();
    if (policy.minimumEffect() > 0) {
      Floors floors = mean.floors();
      mean =
          mean.withFloors(
              new Floors(
                  floors.meanOverall(),
                  floors.meanStratum(),
                  policy.minimumEffect(),
                  floors.countOverall(),
                  floors.countStratum(),
                  floors.absoluteRate()));
    }
    return new MetricFamilies(
        false, List.of(mean, FamilySpec.scoreTail()), List.of(FamilySpec.scoreMean()));
  }
}
