package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.util.List;
import java.util.Optional;

/**
 * What the mean of a score says of its tail. A tail is a few values in a hundred, and its cells
 * often cannot tell causes apart that the mean of the same requests does; so where the tail is
 * undecided and the mean surely moved the same way, the mean is asked over the same panes. That two
 * causes coincide is known of the requests, whatever is looked at, and stands. Immutable.
 */
final class MeanOfScore {
  private static final int NO_LEVEL = 0;

  private final SeriesContext series;
  private final Reference mean;

  private MeanOfScore(SeriesContext series, Reference mean) {
    this.series = series;
    this.mean = mean;
  }

  /** The mean of a series whose tail is judged; empty for durations and where it has none. */
  static Optional<MeanOfScore> of(SeriesContext series, Reference reference) {
    return series.duration()
            || reference.basis() == Basis.MARGINAL
            || reference.baseline().spec().statistic() != Statistic.TAIL
        ? Optional.empty()
        : series
            .reference(reference.basis(), Statistic.MEAN)
            .map(mean -> new MeanOfScore(series, mean));
  }

  /** The answer of the tail, or that of the mean where only the mean has one. */
  ShiftExplainer.Judged decide(
      ShiftExplainer.Judged own, FamilyDetector.Evidence lead, Shift shift, int sign) {
    Undecided undecided = own.attribution().verdict().undecided();
    if (undecided == null
        || undecided.reason() == Undecided.Reason.COLLINEAR
        || !moved(own.window(), sign)) {
      return own;
    }
    Attribution found =
        new ShiftExplainer(series, mean).byItsCells(lead, shift, own.window(), sign).attribution();
    return found.verdict().undecided() == null
        ? own.with(found.introduced("the mean moved, too: "))
        : own;
  }

  private boolean moved(ShiftWindow window, int sign) {
    PaneCutter cutter = new PaneCutter(mean.baseline());
    List<PaneCounts> counts = window.panes().stream().map(cutter::cut).toList();
    Effect effect = Effect.of(mean.baseline(), NO_LEVEL, counts);
    return sign > 0 ? effect.lower() > 0 : effect.upper() < 0;
  }
}
