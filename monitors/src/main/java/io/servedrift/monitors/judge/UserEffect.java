package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.baseline.TrafficClasses;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Size of a shift where it is strongest, in the units a policy is written in: relative for
 * durations, the unit of the metric for scores, a rate for failures. Immutable.
 *
 * @param best the estimate, without sign
 * @param most upper end of its interval, without sign
 * @param surely whether the interval of the test excludes no shift
 */
record UserEffect(double best, double most, boolean surely) {
  /** Fewer values of a class in the window say nothing of its tail. */
  private static final long LEAST_VALUES = 20;

  static UserEffect of(
      Baseline baseline,
      FamilyDetector.Evidence lead,
      Shift shift,
      List<CellPane> panes,
      List<PaneCounts> counts) {
    FamilySpec spec = baseline.spec();
    Track track = lead.calibration().track();
    boolean surely = shift.exceeds(0);
    double largest = Math.max(Math.abs(shift.lower()), Math.abs(shift.upper()));
    return switch (spec.statistic()) {
      case MEAN ->
          spec.logarithmic()
              ? new UserEffect(
                  Math.abs(StrictMath.expm1(shift.effect())), StrictMath.expm1(largest), surely)
              : new UserEffect(Math.abs(shift.effect()), largest, surely);
      case RATIO -> {
        Effect effect = Effect.of(baseline, 0, counts, track);
        yield new UserEffect(
            Math.abs(effect.value()),
            Math.max(Math.abs(effect.lower()), Math.abs(effect.upper())),
            surely);
      }
      case TAIL -> {
        double stretch = stretch(baseline, track, panes);
        double best = spec.logarithmic() ? Math.abs(StrictMath.expm1(stretch)) : Math.abs(stretch);
        // The quantile is a point estimate; a shift of the count beyond it is certain already.
        yield new UserEffect(best, best, surely);
      }
    };
  }

  /**
   * How far the quantile of the track's stratum lies beyond the baseline's, averaged over classes:
   * difference on the scale of the family.
   */
  private static double stretch(Baseline baseline, Track track, List<CellPane> panes) {
    FamilySpec spec = baseline.spec();
    Map<Integer, List<ValueDistribution>> byClass = new TreeMap<>();
    for (CellPane pane : panes) {
      for (CellPane.JointCell cell : pane.cells()) {
        OptionalInt index = baseline.classes().indexOf(cell.trafficClass());
        if (index.isPresent()
            && (track.trafficClass() == TrafficClasses.ALL
                || track.trafficClass() == index.getAsInt())
            && cell.strata().contains(track.stratum())) {
          byClass.computeIfAbsent(index.getAsInt(), k -> new ArrayList<>()).add(cell.values());
        }
      }
    }
    double tail = spec.tails().get(track.level());
    double total = 0;
    double n = 0;
    for (Map.Entry<Integer, List<ValueDistribution>> one : byClass.entrySet()) {
      ValueDistribution values = ValueDistribution.merge(one.getValue());
      if (values.n() >= LEAST_VALUES) {
        double now = Summary.quantile(values, spec.upper() ? 1 - tail : tail);
        double before = baseline.thresholds().cut(track.level(), track.stratum(), one.getKey());
        total += values.n() * (scaled(spec, now) - scaled(spec, before));
        n += values.n();
      }
    }
    return n == 0 ? 0 : total / n;
  }

  private static double scaled(FamilySpec spec, double value) {
    return spec.logarithmic() ? StrictMath.log(Math.max(value, 1e-9)) : value;
  }
}
