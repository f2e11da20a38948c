package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hold the model fixed, vary the configuration: what the four conditions and the cache pair say
 * together. A gap that is there at batch 1 with the cache off comes from the runtime's numerics;
 * one that is only there at production composition, from batching; one only under reuse, from the
 * cache. About the serving layer nothing is said unless both sides have the same weights.
 */
final class Deciding {
  private final ChangedAxes changed;
  private final @Nullable String unsayable;
  private final boolean alone;
  private final List<CheckResult> checks;
  private final List<Measure> single;
  private final List<Measure> production;
  private final List<String> because = new ArrayList<>();

  private Deciding(
      ChangedAxes changed,
      @Nullable String unsayable,
      boolean alone,
      List<CheckResult> checks,
      List<Measure> single,
      List<Measure> production) {
    this.changed = changed;
    this.unsayable = unsayable;
    this.alone = alone;
    this.checks = checks;
    this.single = single;
    this.production = production;
  }

  /**
   * Says what moved it.
   *
   * @param unsayable why nothing may be said; null when something may
   */
  static DecidingSentence of(
      GateCase gate,
      ScoreGaps scores,
      ChangedAxes changed,
      @Nullable String unsayable,
      List<CheckResult> checks) {
    EndpointProfile newer = gate.profile(Side.NEW);
    return new Deciding(
            changed,
            unsayable,
            !newer.batches() && !newer.caches(),
            checks,
            single(gate, scores),
            gaps(scores, Regime.PRODUCTION))
        .sentence();
  }

  /** Nothing counts as single that was served otherwise. */
  private static List<Measure> single(GateCase gate, ScoreGaps scores) {
    for (Side side : Side.values()) {
      String unclean = gate.notClean(new Arm(side, Regime.SINGLE));
      if (unclean != null) {
        return List.of(Verdicts.missing("scores", ArmPair.across(Regime.SINGLE).label(), unclean));
      }
    }
    return gaps(scores, Regime.SINGLE);
  }

  /** The means, and each prompt class that is clearly beyond its margin. */
  private static List<Measure> gaps(ScoreGaps scores, Regime regime) {
    ArmPair across = ArmPair.across(regime);
    List<Measure> gaps = new ArrayList<>(scores.all(across));
    scores.strata(across, a -> BatchCompositionCheck.classOf(across, a)).stream()
        .filter(m -> m.state() == MeasureState.FAIL)
        .forEach(gaps::add);
    return gaps;
  }

  private DecidingSentence sentence() {
    if (unsayable != null) {
      return cannotTell(unsayable);
    }
    gap("at batch 1, cache off", single);
    gap("as production serves", production);
    if (noGap()) {
      return noGapSentence();
    }
    return switch (changed.weights()) {
      case EQUAL -> sameModel();
      case DIFFERENT -> otherModel();
      case UNKNOWN ->
          cannotTell(
              changed.axes().contains(Changes.MODEL)
                  ? "the weights are the same and the model is not, so the serving layer cannot be"
                      + " told from the model: "
                      + String.join("; ", changed.changes())
                  : "the weights of both sides are not known to be equal, so the serving layer"
                      + " cannot be told from the model: give both digests");
    };
  }

  private boolean noGap() {
    return state(single) == CheckState.PASS
        && state(production) == CheckState.PASS
        && in(CheckName.PROXY_DRIFT, CheckState.PASS)
        && cleared(CheckName.BATCH_COMPOSITION)
        && cleared(CheckName.CACHE_PARITY);
  }

  private boolean cleared(CheckName name) {
    return in(name, CheckState.PASS) || in(name, CheckState.NOT_APPLICABLE);
  }

  private DecidingSentence noGapSentence() {
    if (failed(CheckName.SEED_PARITY)) {
      because.add("outputs differ at batch 1 all the same: " + why(CheckName.SEED_PARITY));
    }
    return new DecidingSentence(
        DecidingSentence.Verdict.NO_GAP, "There is no quality gap beyond the margin.", because);
  }

  private DecidingSentence sameModel() {
    because.add("both sides have the same weights");
    boolean batch = failed(CheckName.BATCH_COMPOSITION);
    boolean cache = failed(CheckName.CACHE_PARITY);
    String which = batch && cache ? "batching and caching" : batch ? "batching" : "caching";
    if (state(single) == CheckState.FAIL) {
      alsoFailed();
      return servingLayer(
          "the gap is there at batch 1 with the cache off",
          batch || cache ? " On the new side " + which + " moves it as well." : "");
    }
    if (batch || cache) {
      alsoFailed();
      return new DecidingSentence(
          DecidingSentence.Verdict.BATCHING_OR_CACHING,
          "Batching or caching moved it ("
              + which
              + "): the new side, with the same weights, gives something else without it.",
          because);
    }
    if (state(production) == CheckState.FAIL && state(single) == CheckState.PASS) {
      if (alone) {
        return cannotTell(
            "the gap is there as production serves and not at batch 1 with the cache off, and the"
                + " new side neither batches nor caches");
      }
      return new DecidingSentence(
          DecidingSentence.Verdict.BATCHING_OR_CACHING,
          "Batching or caching moved it: the gap is there as production serves, and not at batch 1"
              + " with the cache off.",
          because);
    }
    if (failed(CheckName.SEED_PARITY)) {
      alsoFailed();
      return servingLayer("outputs differ at batch 1 with the cache off", "");
    }
    return cannotTell("no gap was shown, and none ruled out");
  }

  private DecidingSentence servingLayer(String what, String more) {
    return new DecidingSentence(
        DecidingSentence.Verdict.SERVING_LAYER,
        "The serving layer moved it: with the same weights " + what + axes() + "." + more,
        because);
  }

  private DecidingSentence otherModel() {
    if (changed.axes().isEmpty() && state(single) == CheckState.FAIL) {
      because.add("the weights differ and the configuration does not");
      return new DecidingSentence(
          DecidingSentence.Verdict.MODEL,
          "The model moved it: under one configuration the gap is there at batch 1 with the cache"
              + " off.",
          because);
    }
    return cannotTell(
        changed.axes().isEmpty()
            ? "the weights differ, and no gap was shown at batch 1"
            : "weights and configuration both changed: hold the model fixed and vary the"
                + " configuration, then the other way round");
  }

  private DecidingSentence cannotTell(String why) {
    because.add(why);
    return new DecidingSentence(
        DecidingSentence.Verdict.CANNOT_TELL, "Cannot tell what moved it.", because);
  }

  private void gap(String where, List<Measure> measures) {
    because.add(
        where
            + ": "
            + Verdicts.why(state(measures), measures, "new and old are alike within the margins"));
  }

  private void alsoFailed() {
    for (CheckName name :
        List.of(CheckName.SEED_PARITY, CheckName.BATCH_COMPOSITION, CheckName.CACHE_PARITY)) {
      if (failed(name)) {
        because.add(name.label() + ": " + why(name));
      }
    }
  }

  private String axes() {
    return changed.axes().isEmpty() ? "" : "; changed: " + String.join(", ", changed.axes());
  }

  private static CheckState state(List<Measure> measures) {
    return Verdicts.all(measures.stream().map(Measure::state).toList());
  }

  private boolean failed(CheckName name) {
    return in(name, CheckState.FAIL);
  }

  private boolean in(CheckName name, CheckState state) {
    return check(name).filter(c -> c.state() == state).isPresent();
  }

  private String why(CheckName name) {
    return check(name).map(CheckResult::why).orElse("");
  }

  private Optional<CheckResult> check(CheckName name) {
    return checks.stream().filter(c -> c.name() == name).findFirst();
  }
}
