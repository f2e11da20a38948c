package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;

/** Are the new side's outputs as good as the old one's, as production serves them. */
final class ProxyDrift {
  private static final CheckName NAME = CheckName.PROXY_DRIFT;

  private ProxyDrift() {}

  static CheckResult judge(GateCase gate, ScoreGaps scores) {
    ArmPair across = ArmPair.across(Regime.PRODUCTION);
    List<Measure> required = new ArrayList<>(scores.all(across));
    List<Measure> strata = scores.strata(across, a -> BatchCompositionCheck.classOf(across, a));
    strata.stream().filter(m -> m.state() == MeasureState.FAIL).forEach(required::add);
    List<Measure> shown = new ArrayList<>(strata);
    shown.removeIf(m -> m.state() == MeasureState.FAIL);
    scores.all(ArmPair.across(Regime.SINGLE)).stream()
        .filter(m -> m.value() != null)
        .map(Verdicts::reported)
        .forEach(shown::add);
    return Verdicts.check(
        NAME, required, shown, "scores of new and old production are alike within the margins");
  }
}
