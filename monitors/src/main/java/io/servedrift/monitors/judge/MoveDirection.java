package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Slice;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.util.List;
import java.util.Objects;

/**
 * Which way a metric moved, given the evidence that led to the alarm. A contrast says only that one
 * side moved away from the other; which of the two, the traffic of both says.
 *
 * <pre>
 * c   move of a node less that of all others
 * a   move of all requests
 * s   share of the node in the requests
 *
 * move of the node      a + (1 - s) c
 * move of the others    a - s c
 * </pre>
 */
final class MoveDirection {
  private MoveDirection() {}

  /**
   * Sign of the move in the unit of the metric: +1 for larger values; for ratios, for more
   * failures.
   *
   * @param lead the evidence that alarmed
   * @param shift what is known of the shift of its track
   * @param window panes since the onset
   */
  static int of(
      Baseline baseline, FamilyDetector.Evidence lead, Shift shift, List<PaneCounts> window) {
    FamilySpec spec = baseline.spec();
    if (spec.statistic() == FamilySpec.Statistic.RATIO) {
      return lead.sign();
    }
    int sign =
        spec.statistic() == FamilySpec.Statistic.MEAN || spec.upper() ? lead.sign() : -lead.sign();
    Track track = lead.calibration().track();
    if (track.kind() != Track.Kind.CONTRAST) {
      return sign;
    }
    return track.ofNode()
        ? ofNode(baseline, track, sign * Math.abs(shift.effect()), window)
        : ofCells(baseline, track, sign, window);
  }

  /** Hits below misses: did hits fall, or misses rise? Of a class, its own ones. */
  private static int ofCells(Baseline baseline, Track track, int sign, List<PaneCounts> window) {
    Effect subject = Effect.of(baseline, -1, window, track);
    Effect all = Effect.of(baseline, -1, window, Stratum.ALL, track.trafficClass());
    if (subject.value() * sign > 0 || all.value() == 0) {
      return sign;
    }
    return all.value() > 0 ? 1 : -1;
  }

  /**
   * The side that moved further. Of many nodes one moves all by so little that all alone say
   * nothing; of two, each is above the other as much as that one is below it.
   */
  private static int ofNode(Baseline baseline, Track track, double apart, List<PaneCounts> window) {
    Slice slice = Objects.requireNonNull(track.slice());
    double n = 0;
    double node = 0;
    for (PaneCounts pane : window) {
      n += pane.n(Stratum.ALL);
      node += pane.nodeN(slice.index());
    }
    double share = n == 0 ? 0 : Math.min(1, node / n);
    double shown = Effect.of(baseline, -1, window).value();
    double all = baseline.spec().logarithmic() ? StrictMath.log1p(shown) : shown;
    boolean nodeMoved = Math.abs(all + (1 - share) * apart) >= Math.abs(all - share * apart);
    return nodeMoved == apart > 0 ? 1 : -1;
  }
}
