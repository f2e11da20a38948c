package io.servedrift.monitors.baseline;

import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import java.util.List;
import java.util.OptionalInt;

/**
 * How much work a request asks for, in units of what one of the reference asked for. What fills a
 * server is arrivals times the time that each takes (its offered load, in erlangs), so as many
 * requests of longer classes are a higher load. A function of its arguments.
 */
public final class OfferedWork {
  /** The level of a duration's tail that half of the requests exceed. */
  private static final double MEDIAN = .5;

  private OfferedWork() {}

  /**
   * Mean work of a request of a window, by the median duration of each class in the reference.
   *
   * @return 1 where no durations are known by class: the values are none, or mostly 0
   */
  public static double perRequest(Baseline baseline, List<CellPane> window) {
    FamilySpec spec = baseline.spec();
    boolean durations =
        spec.statistic() == Statistic.TAIL
            && spec.logarithmic()
            && spec.upper()
            && Math.abs(spec.tails().get(0) - MEDIAN) < 1e-9;
    if (!durations) {
      return 1;
    }
    double known = 0;
    double usual = 0;
    for (int g = 0; g < baseline.classes().size(); g++) {
      double n = baseline.table().n(Stratum.ALL, g);
      known += n;
      usual += n * median(baseline, g);
    }
    double here = 0;
    double asked = 0;
    for (CellPane pane : window) {
      for (CellPane.JointCell cell : pane.cells()) {
        OptionalInt index = baseline.classes().indexOf(cell.trafficClass());
        if (index.isPresent()) {
          here += cell.values().n();
          asked += cell.values().n() * median(baseline, index.getAsInt());
        }
      }
    }
    return here > 0 && usual > 0 ? asked / here / (usual / known) : 1;
  }

  private static double median(Baseline baseline, int trafficClass) {
    return baseline.thresholds().cut(0, Stratum.ALL, trafficClass);
  }
}
