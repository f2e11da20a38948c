package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Verdict;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The verdict rules (STATISTICS C.5). Immutable. */
final class VerdictFinder {
  private final Analysis analysis;
  private final LoadAnswers load;
  private final Doubts doubts;
  private final VerdictText text;

  VerdictFinder(Analysis analysis, VerdictRules rules) {
    this.analysis = analysis;
    load = new LoadAnswers(analysis, rules);
    text = new VerdictText(analysis);
    doubts = new Doubts(analysis, rules, load, text);
  }

  Verdict verdict() {
    if (analysis.input().changes().scorer()) {
      return scorerChange();
    }
    LeadingCause leading = LeadingCause.of(analysis.shares());
    if (load.grown(leading)) {
      return load.byGrownBatches(leading);
    }
    Undecided undecided = doubts.about(leading);
    return undecided == null ? named(leading) : inconclusive(leading, undecided);
  }

  /** Values of two scorers are not compared, so nothing else can be said. */
  private static Verdict scorerChange() {
    return new Verdict(
        Cause.SCORER_CHANGE,
        Mechanism.EFFECT,
        1,
        1,
        new TreeMap<>(),
        "the values come from another scorer; they are not comparable with those before",
        null);
  }

  private Verdict inconclusive(LeadingCause leading, Undecided undecided) {
    return new Verdict(
        Cause.INCONCLUSIVE,
        null,
        leading.probability(),
        leading.share(),
        new TreeMap<>(),
        undecided.text(),
        undecided);
  }

  private Verdict named(LeadingCause leading) {
    if (load.beyond(leading)) {
      return load.byLoad(leading);
    }
    Cause cause = leading.cause() == Cause.UNEXPLAINED ? outsideServing() : leading.cause();
    Mechanism mechanism =
        leading.cause().traffic() ? Mechanism.EXPOSURE : leading.own().mechanism(analysis.sign());
    NarrowMove narrow = analysis.narrow();
    if (narrow != null && narrow.cause() == leading.cause()) {
      return narrowly(leading, cause, narrow);
    }
    int feature = analysis.localisation().leading(leading.cause());
    boolean effect = mechanism == Mechanism.EFFECT && feature >= 0;
    Where where = new Where(analysis);
    SortedMap<String, String> cells =
        effect ? where.effect(feature) : where.exposure(leading.cause());
    String why = effect ? text.effect(cause, feature) : text.exposure(leading.own());
    return new Verdict(
        cause, mechanism, leading.probability(), leading.own().share(), cells, why, null);
  }

  /** A narrow covariate accounts for it; one that the configuration brought is named by that. */
  private Verdict narrowly(LeadingCause leading, Cause cause, NarrowMove narrow) {
    SortedMap<String, String> where = new TreeMap<>(Map.of(narrow.covariate(), narrow.level()));
    boolean brought =
        leading.cause() == Cause.TRAFFIC_MIX && analysis.input().changes().configuration();
    boolean more = narrow.mechanism() == Mechanism.EXPOSURE;
    String which = narrow.covariate() + "=" + narrow.level();
    NodeContrast contrast = narrow.contrast();
    String why =
        contrast != null
            ? contrast.text()
            : (more ? "more requests have " + which + " and" : "requests with " + which)
                + " account for "
                + Wording.signed(narrow.moved())
                + " of the "
                + Wording.signed(analysis.split().within())
                + " like for like; the others moved by "
                + Wording.signed(narrow.others());
    return new Verdict(
        brought ? Cause.CONFIG_CHANGE : cause,
        narrow.mechanism(),
        leading.probability(),
        leading.own().share(),
        where,
        why,
        null);
  }

  private Cause outsideServing() {
    Changes changes = analysis.input().changes();
    return changes.model()
        ? Cause.MODEL
        : changes.configuration() ? Cause.CONFIG_CHANGE : Cause.UNEXPLAINED;
  }
}
