package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.LoadCuts;
import io.servedrift.monitors.baseline.OfferedWork;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.util.List;
import java.util.Set;

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

  private static final Set<Stratum> BATCHES =
      Set.of(
          Stratum.BATCH_1,
          Stratum.BATCH_2_3,
          Stratum.BATCH_4_7,
          Stratum.BATCH_8_UP,
          Stratum.HIT_BATCH_8_UP);

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

  /**
   * Whether a duration moved in batches of some size only, and not surely in all requests, while
   * the baseline is young. It has seen the large batches of its bursts; a load that rises later
   * fills the same size with others, and how long those take it cannot know.
   */
  boolean onlyOfABatchSize(FamilyDetector.Evidence lead, ShiftWindow window, int sign) {
    return young()
        && onlyOfABatchSize(
            reference.baseline(), lead.calibration().track(), window.counts(), sign);
  }

  /** The same of any baseline: the shift of a track since its onset, up (1) or down (-1). */
  static boolean onlyOfABatchSize(
      Baseline baseline, Track track, List<PaneCounts> window, int sign) {
    if (!BATCHES.contains(track.stratum())) {
      return false;
    }
    Effect all = Effect.of(baseline, Math.max(track.level(), 0), window);
    return !(sign > 0 ? all.lower() > 0 : all.upper() < 0);
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
    if (!young()) {
      return 0;
    }
    double days = days();
    double seen = reference.baseline().table().cuts().highest() / (1 + LoadCuts.YOUNG_MARGIN);
    double quiet = YOUNG_MINIMUM * (1 - days);
    double beyond = (meanLoad(window) / seen - NEARLY) / (FAR - NEARLY);
    return quiet + (BUSIER_MINIMUM - quiet) * Math.max(0, Math.min(1, beyond));
  }

  private boolean young() {
    return series.duration() && reference.basis() == Basis.LEARNED && days() < 1;
  }

  private double days() {
    Baseline baseline = reference.baseline();
    return baseline.panes() * baseline.paneMicros() / (double) Micros.DAY;
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
