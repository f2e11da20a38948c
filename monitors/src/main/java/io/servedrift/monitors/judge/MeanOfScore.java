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
 * What the mean of a score says of its tail. A tail is a few values in a hundred, and before it
 * says that all requests moved it needs more untouched ones than there may be. So where only their
 * number is missing, and the mean surely moved the same way, the mean is asked over the same panes;
 * what it says counts where that is a serving cause. Whatever the tail does say stands. Immutable.
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
    return lacksRequests(own.attribution()) && moved(own.window(), sign)
        ? own.with(
            answered(
                own.attribution(),
                new ShiftExplainer(series, mean)
                    .byItsCells(lead, shift, own.window(), sign)
                    .attribution()))
        : own;
  }

  /** Whether a tail is undecided for want of untouched requests, and for nothing that it saw. */
  static boolean lacksRequests(Attribution tail) {
    Undecided undecided = tail.verdict().undecided();
    return undecided != null
        && undecided.reason() == Undecided.Reason.CLEAN_PATH
        && undecided.requestsMissing() > 0;
  }

  /** That all requests moved is not said of a tail of which too few untouched ones are known. */
  static Attribution answered(Attribution tail, Attribution mean) {
    return mean.verdict().cause().serving() ? tail.answeredBy(mean, "the mean moved, too: ") : tail;
  }

  private boolean moved(ShiftWindow window, int sign) {
    PaneCutter cutter = new PaneCutter(mean.baseline());
    List<PaneCounts> counts = window.panes().stream().map(cutter::cut).toList();
    Effect effect = Effect.of(mean.baseline(), NO_LEVEL, counts);
    return sign > 0 ? effect.lower() > 0 : effect.upper() < 0;
  }
}
