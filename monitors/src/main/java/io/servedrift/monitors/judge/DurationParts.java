package io.servedrift.monitors.judge;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.Mechanism;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What the part of a request in which it is computed says of the whole. A latency is the time that
 * a request waits and the time that it is computed, and others wait while it is computed: where
 * computing moved as far, latency and queue moved for its reason, and its cells are not blurred by
 * waiting. Where it stayed, and requests in batches with room moved like all, they waited although
 * nothing was in the way, and no batch or cache is to blame. And requests wait before they are in a
 * batch: that those in full ones waited longest says that servers were full, not why. Immutable.
 */
final class DurationParts {
  private static final String COMPUTED = "inference";
  private static final String QUEUE = "queue";
  private static final Set<String> WHOLE = Set.of("latency", QUEUE);

  /** Of the move of the whole, from here on it is that of the part; up to here it is not. */
  private static final double MOST = .5;

  /** What cells may say although requests only waited: something moved, and not where. */
  private static final Set<Cause> BY_CELLS =
      Set.of(Cause.BATCHING, Cause.CACHE, Cause.UNEXPLAINED, Cause.INCONCLUSIVE);

  private final SeriesContext whole;
  private final Reference reference;
  private final SeriesContext part;
  private final Reference partReference;

  private DurationParts(
      SeriesContext whole, Reference reference, SeriesContext part, Reference partReference) {
    this.whole = whole;
    this.reference = reference;
    this.part = part;
    this.partReference = partReference;
  }

  /** The parts of a series; empty where it has none, or they are not judged by the same basis. */
  static Optional<DurationParts> of(SeriesContext whole, Reference reference) {
    if (!WHOLE.contains(whole.key().metric())
        || !reference.ofItself()
        || reference.baseline().spec().statistic() != Statistic.TAIL) {
      return Optional.empty();
    }
    return whole
        .sibling(COMPUTED)
        .flatMap(
            part ->
                part.reference(reference.basis(), Statistic.TAIL)
                    .map(own -> new DurationParts(whole, reference, part, own)));
  }

  /** The answer of the whole, in the light of the part. */
  ShiftExplainer.Judged decide(
      ShiftExplainer.Judged own, FamilyDetector.Evidence lead, Shift shift, int sign) {
    ShiftExplainer.Judged answer = byParts(own, lead, shift, sign);
    Attribution attribution = answer.attribution();
    boolean limit = answer.events().logBayesFactors().getOrDefault(Cause.BATCHING, 0.0) > 0;
    return whole.key().metric().equals(QUEUE)
            && attribution.verdict().cause() == Cause.BATCHING
            && attribution.verdict().mechanism() == Mechanism.EFFECT
            && !limit
        ? answer.with(
            attribution.doubted(
                "requests that waited longer met fuller batches, which says that servers were full"
                    + " and not why: "
                    + attribution.verdict().why()))
        : answer;
  }

  private ShiftExplainer.Judged byParts(
      ShiftExplainer.Judged own, FamilyDetector.Evidence lead, Shift shift, int sign) {
    Cause cause = own.attribution().verdict().cause();
    ShiftWindow window =
        ShiftWindow.of(
            part,
            new PaneCutter(partReference.baseline()),
            shift,
            own.window().panes().get(own.window().panes().size() - 1));
    int level = Math.max(lead.calibration().track().level(), 0);
    Effect all = Effect.of(reference.baseline(), level, own.window().counts());
    if (cause == Cause.LOAD || lead.sign() < 0 || !(all.lower() > 0) || window.panes().isEmpty()) {
      return own;
    }
    Effect computed = Effect.of(partReference.baseline(), level, window.counts());
    if (computed.lower() > 0 && computed.value() >= MOST * all.value()) {
      return byPart(own, lead, shift, window, sign);
    }
    boolean stayed = computed.upper() <= MOST * all.value();
    return stayed && BY_CELLS.contains(cause) && waited(own.attribution())
        ? own.with(
            own.attribution()
                .answered(Cause.SCHEDULING, 1 - computed.value() / all.value(), why(all, computed)))
        : own;
  }

  private ShiftExplainer.Judged byPart(
      ShiftExplainer.Judged own,
      FamilyDetector.Evidence lead,
      Shift shift,
      ShiftWindow window,
      int sign) {
    Attribution found =
        new ShiftExplainer(part, partReference).byItsCells(lead, shift, window, sign).attribution();
    Cause cause = found.verdict().cause();
    boolean same = cause == own.attribution().verdict().cause();
    return !same && (cause.serving() || cause == Cause.LOAD)
        ? own.with(found.introduced(COMPUTED + " moved as far: "))
        : own;
  }

  private static boolean waited(Attribution own) {
    return own.withRoom().batch() && own.withRoom().moved(own.split().within());
  }

  private String why(Effect all, Effect computed) {
    return String.format(
        Locale.ROOT,
        "%s moved by %+.3f of the requests beyond the %s and %s by %+.3f (%.3f..%.3f): they waited,"
            + " in batches with room as well",
        whole.key().metric(),
        all.value(),
        all.beyond(),
        COMPUTED,
        computed.value(),
        computed.lower(),
        computed.upper());
  }
}
