package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;

/** Are the new side's outputs as good as the old one's, as production serves them. */
final class ProxyDrift {
  private static final CheckName NAME = CheckName.PROXY_DRIFT;

  /** Scores that only one modality can have; one policy may serve gates of both. */
  private static final Map<Modality, Set<String>> FOREIGN =
      Map.of(
          Modality.IMAGE, Set.of("json_valid", "answer_correct"),
          Modality.CHAT, Set.of("clip", "aesthetic"));

  private ProxyDrift() {}

  static CheckResult judge(GateCase gate, ScoreGaps scores) {
    ArmPair across = ArmPair.across(Regime.PRODUCTION);
    List<Measure> required = new ArrayList<>(scores.all(across));
    SortedSet<String> given = scores.names(Regime.PRODUCTION);
    Set<String> foreign = FOREIGN.getOrDefault(gate.evidence().modality(), Set.of());
    for (String name : gate.policy().scores().keySet()) {
      if (!given.contains(name) && !foreign.contains(name)) {
        required.add(
            Verdicts.missing(
                name + ": mean difference",
                across.label(),
                "the policy has a rule for this score, and no answer has it"));
      }
    }
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
