package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.Interval;
import io.servedrift.monitors.stats.ProportionInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Does the new side's cache give what recomputing gives: the same prompts, which share what can be
 * cached, once with the cache and once without, against recomputing twice.
 */
final class CacheParity {
  private static final CheckName NAME = CheckName.CACHE_PARITY;

  private CacheParity() {}

  static CheckResult judge(GateCase gate, ScoreGaps scores, OutputGaps outputs) {
    CheckResult result = compared(gate, scores, outputs);
    boolean told =
        gate.answers().good(Arm.fresh(Regime.REUSE)).stream()
            .anyMatch(a -> a.served().cacheHit() != null);
    return result.state() == CheckState.PASS && !told
        ? new CheckResult(
            NAME,
            CheckState.INSUFFICIENT,
            "the endpoint does not tell its hits: whether anything was reused is not known",
            result.measures(),
            null)
        : result;
  }

  private static CheckResult compared(GateCase gate, ScoreGaps scores, OutputGaps outputs) {
    EndpointProfile profile = gate.profile(Side.NEW);
    if (!profile.caches()) {
      return Verdicts.notApplicable(NAME, "the new endpoint has no cache");
    }
    if (!profile.cacheBypass() && !profile.flush()) {
      return Verdicts.insufficient(
          NAME, "the new endpoint cannot be told to recompute: reuse has nothing to compare with");
    }
    List<Boolean> hits =
        gate.answers().good(Arm.fresh(Regime.REUSE)).stream()
            .map(a -> a.served().cacheHit())
            .filter(Objects::nonNull)
            .toList();
    if (!hits.isEmpty() && !hits.contains(true)) {
      return Verdicts.insufficient(NAME, "the cache was never hit");
    }
    ArmPair reuse = ArmPair.within(Side.NEW, Regime.RECOMPUTE, Regime.REUSE);
    ArmPair control = ArmPair.within(Side.NEW, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN);
    String unclean = gate.notClean(reuse.left());
    if (unclean != null) {
      return Verdicts.insufficient(NAME, unclean);
    }
    ArmPair floor = floor(gate, outputs);
    List<Measure> repeats = new ArrayList<>(scores.bothWays(control));
    OutputParity repeated = OutputParity.of(gate, outputs, control, floor, true);
    if (repeated.state() != null && gate.profile(Side.NEW).seed()) {
      repeated.add(repeats, new ArrayList<>());
    }
    if (Verdicts.together(repeats) != MeasureState.PASS) {
      CheckState state = Verdicts.all(repeats.stream().map(Measure::state).toList());
      return new CheckResult(
          NAME,
          CheckState.INSUFFICIENT,
          "recomputing was not shown to repeat itself: " + Verdicts.why(state, repeats, ""),
          repeats,
          Verdicts.needed(repeats));
    }
    List<Measure> required = new ArrayList<>(scores.all(reuse));
    List<Measure> shown = new ArrayList<>();
    OutputParity.of(gate, outputs, reuse, floor, true).add(required, shown);
    if (outputs.has(control)) {
      shown.add(Verdicts.reported(outputs.identical(control)));
    }
    repeats.stream().map(Verdicts::reported).forEach(shown::add);
    ArmPair older = ArmPair.within(Side.OLD, Regime.RECOMPUTE, Regime.REUSE);
    scores.all(older).stream()
        .filter(m -> m.value() != null)
        .map(Verdicts::reported)
        .forEach(shown::add);
    if (!hits.isEmpty()) {
      shown.add(hitShare(gate, hits));
    }
    return Verdicts.check(
        NAME, required, shown, "reuse gives what recomputing gives, within the margins");
  }

  /** The old side recomputing twice; without that, old production against itself. */
  private static ArmPair floor(GateCase gate, OutputGaps outputs) {
    ArmPair recomputed = ArmPair.within(Side.OLD, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN);
    if (outputs.has(recomputed)) {
      return recomputed;
    }
    return gate.repeatable()
        ? ArmPair.within(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN)
        : ArmPair.within(Side.OLD, Regime.SINGLE, Regime.SINGLE_AGAIN);
  }

  /** Misses are left out of the comparison; how many hits there were is shown. */
  private static Measure hitShare(GateCase gate, List<Boolean> hits) {
    long number = hits.stream().filter(hit -> hit).count();
    Interval interval =
        ProportionInterval.clopperPearson(number, hits.size(), gate.policy().level());
    return new Measure(
        "cache hits",
        Arm.fresh(Regime.REUSE).label(),
        (double) number / hits.size(),
        interval.lower(),
        interval.upper(),
        gate.policy().level(),
        hits.size(),
        null,
        "share",
        MeasureState.REPORTED,
        null,
        "Clopper-Pearson");
  }
}
