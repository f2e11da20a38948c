package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.LoadCuts;
import io.servedrift.monitors.baseline.OfferedWork;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;

/** Which shifts of a family are not worth a finding, however sure they are. Immutable. */
final class ShiftFilter {
  /** Smallest shift of a duration that counts against a baseline that has just been learned. */
  private static final double YOUNG_MINIMUM = .3;

  /**
   * The same when the deployment is busier than ever since it is known: near saturation, a few
   * percent of load may add half to a latency.
   */
  private static final double BUSIER_MINIMUM = 1;

  /** Where that begins, and where it holds in full, in parts of the highest load seen. */
  private static final double NEARLY = .97;

  private static final double FAR = 1.12;

  /** Largest share of a window at loads beyond the reference that its mean still speaks for. */
  private static final double MOST_UNEXPECTED = .2;

  /** Panes that a shift of a duration lasts at least. */
  private static final int LASTING_PANES = 15;

  private final SeriesContext series;
  private final Reference reference;

  ShiftFilter(SeriesContext series, Reference reference) {
    this.series = series;
    this.reference = reference;
  }

  /**
   * Whether the shift may be one of the bursts that every queue has: of a few minutes, and gone
   * before anybody could look.
   */
  boolean passing(Shift shift, CellPane pane) {
    long lasted = pane.startMicros() + series.paneMicros() - shift.onsetMicros();
    return series.duration()
        && reference.basis() != Basis.PREDECESSOR
        && lasted < LASTING_PANES * series.paneMicros();
  }

  /**
   * Whether the mean of a score was seen at loads for which nothing is expected: then only what
   * tells requests of the window apart, or how many fall into which cell, says anything.
   */
  boolean unexpected(FamilyDetector.Evidence lead, ShiftWindow window) {
    if (series.duration() || lead.calibration().track().kind() != Track.Kind.MEAN) {
      return false;
    }
    double n = 0;
    double beyond = 0;
    for (PaneCounts pane : window.counts()) {
      double values = pane.n(Stratum.ALL);
      n += values;
      beyond += pane.load() > reference.baseline().table().cuts().highest() ? values : 0;
    }
    return beyond > MOST_UNEXPECTED * n;
  }

  /** Whether the most that the shift may be, where it is strongest, is below what matters. */
  boolean tooSmall(FamilyDetector.Evidence lead, Shift shift, ShiftWindow window) {
    if (window.panes().isEmpty()) {
      return false;
    }
    double least = Math.max(series.policy().minimumEffect(), youngMinimum(window));
    return least > 0
        && UserEffect.of(reference.baseline(), lead, shift, window.panes(), window.counts()).most()
            < least;
  }

  /**
   * A baseline of hours has not seen the load of the day, and durations follow it; until it has,
   * only large shifts of them count.
   */
  private double youngMinimum(ShiftWindow window) {
    if (!reference.young(series)) {
      return 0;
    }
    double days = reference.days();
    double seen = reference.baseline().table().cuts().highest() / (1 + LoadCuts.YOUNG_MARGIN);
    double quiet = YOUNG_MINIMUM * (1 - days);
    double beyond = (meanLoad(window) / seen - NEARLY) / (FAR - NEARLY);
    return quiet + (BUSIER_MINIMUM - quiet) * Math.max(0, Math.min(1, beyond));
  }

  /** Requests a minute, in units of the work that one of the reference asked for. */
  private double meanLoad(ShiftWindow window) {
    double load = 0;
    double n = 0;
    for (PaneCounts pane : window.counts()) {
      double values = pane.n(Stratum.ALL);
      load += values * pane.load();
      n += values;
    }
    return n == 0 ? 0 : load / n * OfferedWork.perRequest(reference.baseline(), window.panes());
  }
}
