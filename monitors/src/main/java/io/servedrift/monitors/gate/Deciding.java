package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Hold the model fixed, vary the configuration: what the four conditions and the cache pair say
 * together. A gap that is there at batch 1 with the cache off comes from the runtime's numerics;
 * one that is only there at production composition, from batching; one only under reuse, from the
 * cache. About the serving layer nothing is said unless both sides have the same weights.
 */
final class Deciding {
  private final ChangedAxes changed;
  private final AaControl control;
  private final List<CheckResult> checks;
  private final List<Measure> single;
  private final List<Measure> production;
  private final List<String> because = new ArrayList<>();

  private Deciding(
      ChangedAxes changed,
      AaControl control,
      List<CheckResult> checks,
      List<Measure> single,
      List<Measure> production) {
    this.changed = changed;
    this.control = control;
    this.checks = checks;
    this.single = single;
    this.production = production;
  }

  static DecidingSentence of(
      GateCase gate,
      ScoreGaps scores,
      ChangedAxes changed,
      AaControl control,
      List<CheckResult> checks) {
    return new Deciding(
            changed,
            control,
            checks,
            scores.all(ArmPair.across(Regime.SINGLE)),
            scores.all(ArmPair.across(Regime.PRODUCTION)))
        .sentence();
  }

  private DecidingSentence sentence() {
    if (control.state() != CheckState.PASS) {
      return cannotTell("without a stable control nothing may be concluded: " + control.why());
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
              "the weights of both sides are not known to be equal, so the serving layer cannot be"
                  + " told from the model: give both digests");
    };
  }

  private boolean noGap() {
    return state(single) == CheckState.PASS
        && state(production) == CheckState.PASS
        && !failed(CheckName.BATCH_COMPOSITION)
        && !failed(CheckName.CACHE_PARITY);
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
    if (state(single) == CheckState.FAIL) {
      alsoFailed();
      return servingLayer("the gap is there at batch 1 with the cache off");
    }
    boolean batch = failed(CheckName.BATCH_COMPOSITION);
    boolean cache = failed(CheckName.CACHE_PARITY);
    if (batch || cache) {
      alsoFailed();
      String which = batch && cache ? "batching and caching" : batch ? "batching" : "caching";
      return new DecidingSentence(
          DecidingSentence.Verdict.BATCHING_OR_CACHING,
          "Batching or caching moved it ("
              + which
              + "): the same side, with the same weights, gives something else without it.",
          because);
    }
    if (state(production) == CheckState.FAIL && state(single) == CheckState.PASS) {
      return new DecidingSentence(
          DecidingSentence.Verdict.BATCHING_OR_CACHING,
          "Batching or caching moved it: the gap is there as production serves, and not at batch 1"
              + " with the cache off.",
          because);
    }
    if (failed(CheckName.SEED_PARITY)) {
      alsoFailed();
      return servingLayer("outputs differ at batch 1 with the cache off");
    }
    return cannotTell("no gap was shown, and none ruled out");
  }

  private DecidingSentence servingLayer(String what) {
    return new DecidingSentence(
        DecidingSentence.Verdict.SERVING_LAYER,
        "The serving layer moved it: with the same weights " + what + axes() + ".",
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
    return check(name).filter(c -> c.state() == CheckState.FAIL).isPresent();
  }

  private String why(CheckName name) {
    return check(name).map(CheckResult::why).orElse("");
  }

  private Optional<CheckResult> check(CheckName name) {
    return checks.stream().filter(c -> c.name() == name).findFirst();
  }
}
