package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;

/**
 * Same prompt, same seed, batch 1, cache off: does the new side give the same output as the old
 * one, as far as the old one repeats itself.
 */
final class SeedParity {
  private static final CheckName NAME = CheckName.SEED_PARITY;

  private SeedParity() {}

  static CheckResult judge(GateCase gate, OutputGaps outputs) {
    for (Side side : Side.values()) {
      String unpaired = gate.unpaired(side);
      if (unpaired != null) {
        return Verdicts.insufficient(NAME, unpaired);
      }
    }
    for (Side side : Side.values()) {
      String unclean = gate.notClean(new Arm(side, Regime.SINGLE));
      if (unclean != null) {
        return Verdicts.insufficient(NAME, unclean);
      }
    }
    ArmPair across = ArmPair.across(Regime.SINGLE);
    List<Measure> required = new ArrayList<>();
    List<Measure> shown = new ArrayList<>();
    Measure same = outputs.identical(across);
    boolean promised = gate.policy().outputs().identical() == GatePolicy.Identical.PROMISED;
    if (promised) {
      required.add(same);
    } else if (outputs.has(across)) {
      shown.add(Verdicts.reported(same));
    }
    required.addAll(outputs.ratios(across, floor(gate)));
    if (gate.evidence().modality() == Modality.IMAGE) {
      required.add(outputs.alike(across));
    } else if (outputs.has(across)) {
      shown.add(outputs.firstDivergence(across));
    }
    ArmPair again = ArmPair.within(Side.NEW, Regime.SINGLE, Regime.SINGLE_AGAIN);
    if (gate.profile(Side.NEW).deterministic()) {
      required.add(outputs.identical(again));
    } else if (outputs.has(again)) {
      shown.add(Verdicts.reported(outputs.identical(again)));
    }
    return Verdicts.check(
        NAME, required, shown, "outputs at batch 1 are as near as the noise floor allows");
  }

  /** Old production against itself; of chat, which may be sampled there, batch 1. */
  private static ArmPair floor(GateCase gate) {
    return gate.evidence().modality() == Modality.CHAT
        ? ArmPair.within(Side.OLD, Regime.SINGLE, Regime.SINGLE_AGAIN)
        : ArmPair.within(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
  }
}
