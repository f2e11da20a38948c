package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.AttributionFeed;
import io.servedrift.monitors.attribution.AttributionInput;
import io.servedrift.monitors.attribution.Attributor;
import io.servedrift.monitors.attribution.Changes;
import io.servedrift.monitors.attribution.ClassContribution;
import io.servedrift.monitors.attribution.EventWeights;
import io.servedrift.monitors.attribution.Measure;
import io.servedrift.monitors.attribution.MetricView;
import io.servedrift.monitors.attribution.QuantileSplit;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.Track;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks attribution why a family shifted. Immutable. */
final class ShiftExplainer {
  private static final double LEAST_RATE_SD = .03;

  private static final double MOST_RATE_SD = .5;

  /** Traffic classes that a finding lists. */
  private static final int MOST_CLASSES = 12;

  private final SeriesContext series;
  private final Reference reference;

  ShiftExplainer(SeriesContext series, Reference reference) {
    this.series = series;
    this.reference = reference;
  }

  /**
   * The answer.
   *
   * @param events what happened near the onset
   * @param window that was explained
   */
  record Judged(
      Attribution attribution, EventWeights events, ShiftWindow window, Breakdown breakdown) {
    Judged with(Attribution other) {
      return new Judged(other, events, window, breakdown);
    }
  }

  /**
   * What makes the difference as users see it.
   *
   * @param allTraffic the split with traffic not set aside; empty where it is the verdict's own or
   *     unknown
   * @param classes the traffic classes that make most of it
   * @param p99 how much of the move of the p99 is traffic mix; empty where only a part of the
   *     traffic is judged
   */
  record Breakdown(
      Optional<Attribution> allTraffic,
      List<ClassContribution> classes,
      Optional<QuantileSplit> p99) {}

  /** Why a shift happened, as far as its window and the parts or the mean of its values say. */
  Judged explain(FamilyDetector.Evidence lead, Shift shift, ShiftWindow window, int sign) {
    Judged own = byItsCells(lead, shift, window, sign);
    return DurationParts.of(series, reference)
        .map(parts -> parts.decide(own, lead, shift, sign))
        .or(
            () ->
                MeanOfScore.of(series, reference).map(mean -> mean.decide(own, lead, shift, sign)))
        .orElse(own);
  }

  /** What its own cells say. */
  Judged byItsCells(FamilyDetector.Evidence lead, Shift shift, ShiftWindow window, int sign) {
    Changes changes = changes(shift);
    // Against a predecessor the model is another one for days; the switch has to be near.
    boolean onlyModel =
        changes.onlyModel()
            && series
                .changesAround(shift.earliestMicros(), shift.latestMicros(), changes.scorer())
                .onlyModel();
    EventWeights events =
        series
            .events()
            .around(shift.earliestMicros(), shift.onsetMicros(), shift.latestMicros(), onlyModel);
    MetricView view = reference.cubes().view(lead.calibration().track());
    int viewSign = view.rate() ? lead.sign() : sign;
    Measure measure = measure(viewSign);
    if (view.rate()) {
      measure = measure.withEffectPriorSd(rateEffectSd(lead, window));
    }
    AttributionInput input =
        AttributionFeed.input(
            reference.cubes(),
            view,
            like(window.panes()),
            measure,
            reference.basis() == Basis.PREDECESSOR
                ? AttributionInput.Basis.PREDECESSOR
                : AttributionInput.Basis.SAME_CONFIGURATION,
            changes,
            events.logBayesFactors());
    return new Judged(
        new Attributor().attribute(input), events, window, breakdown(lead, shift, window, view));
  }

  /**
   * Over all configurations, the panes without classes that the reference does not know: nothing
   * was expected of them, so they raised no alarm and explain none.
   */
  private List<CellPane> like(List<CellPane> panes) {
    if (reference.basis() == Basis.MARGINAL || !Group.of(series.key()).everything()) {
      return panes;
    }
    List<CellPane> known =
        panes.stream()
            .map(
                pane ->
                    pane.withCells(
                        pane.cells().stream()
                            .filter(cell -> reference.knows(cell.trafficClass()))
                            .toList()))
            .toList();
    return known.stream().allMatch(pane -> pane.cells().isEmpty()) ? panes : known;
  }

  private Breakdown breakdown(
      FamilyDetector.Evidence lead, Shift shift, ShiftWindow window, MetricView ownView) {
    Optional<Reference> found =
        reference.ofItself()
            ? series.reference(Basis.MARGINAL, spec().statistic())
            : Optional.empty();
    if (found.isEmpty()) {
      return new Breakdown(
          Optional.empty(),
          reference.classes().largest(reference.cubes(), ownView, window.panes(), MOST_CLASSES),
          reference.quantileSplit(window.panes()));
    }
    Reference whole = found.get();
    MetricView view = whole.cubes().view(lead.calibration().track());
    AttributionInput input =
        AttributionFeed.input(
            whole.cubes(),
            view,
            window.panes(),
            unadjusted(),
            AttributionInput.Basis.SAME_CONFIGURATION,
            changes(shift),
            Map.of());
    return new Breakdown(
        Optional.of(new Attributor().attribute(input)),
        whole.classes().largest(whole.cubes(), view, window.panes(), MOST_CLASSES),
        whole.quantileSplit(window.panes()));
  }

  /**
   * How far a rate may have moved in a cell: as far as it did where the evidence is strongest. Were
   * it held to a few percent, a move of half would need several causes to be explained.
   */
  private double rateEffectSd(FamilyDetector.Evidence lead, ShiftWindow window) {
    Track track = lead.calibration().track();
    Effect strongest =
        Effect.of(reference.baseline(), Math.max(track.level(), 0), window.counts(), track);
    return Math.max(LEAST_RATE_SD, Math.min(MOST_RATE_SD, Math.abs(strongest.value())));
  }

  private Measure unadjusted() {
    boolean duration = series.duration();
    return switch (spec().statistic()) {
      case MEAN -> duration ? Measure.latencyMean() : Measure.scoreMean();
      case TAIL -> duration ? Measure.latencyExceedance() : Measure.failureRate();
      case RATIO -> Measure.failureRate();
    };
  }

  private Measure measure(int sign) {
    boolean duration = series.duration();
    Measure all = unadjusted();
    return reference.basis() == Basis.MARGINAL
            || (reference.basis() == Basis.PREDECESSOR && duration)
        ? all.toward(sign)
        : all.adjusted(sign);
  }

  private Changes changes(Shift shift) {
    boolean scorer =
        !reference.scorer().isEmpty()
            && !series.scorer().isEmpty()
            && !reference.scorer().equals(series.scorer());
    if (reference.basis() == Basis.PREDECESSOR) {
      Group own = Group.of(series.key());
      return new Changes(
          !own.modelId().equals(reference.group().modelId()),
          !own.configId().equals(reference.group().configId()),
          scorer);
    }
    if (Group.of(series.key()).everything()) {
      return series.changesAround(shift.earliestMicros(), shift.latestMicros(), scorer);
    }
    return new Changes(false, false, scorer);
  }

  private FamilySpec spec() {
    return reference.baseline().spec();
  }
}
