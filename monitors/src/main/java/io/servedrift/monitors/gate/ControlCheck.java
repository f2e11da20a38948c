package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;

/**
 * The control comes first: the old side against itself, at batch 1 and at production composition.
 * Were that to differ by more than the margins, a difference between the sides would say nothing.
 * Outputs decide only when they were promised to be equal and clearly are not.
 */
final class ControlCheck {
  private ControlCheck() {}

  static AaControl judge(GateCase gate, ScoreGaps scores, OutputGaps outputs) {
    ArmPair single = ArmPair.within(Side.OLD, Regime.SINGLE, Regime.SINGLE_AGAIN);
    ArmPair production = ArmPair.within(Side.OLD, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN);
    List<Measure> required = new ArrayList<>();
    required.addAll(scores.bothWays(production));
    List<Measure> shown = new ArrayList<>();
    // Where batch 1 is not what it is called, the checks that need it say so themselves.
    boolean clean = gate.notClean(single.left()) == null;
    if (clean) {
      required.addAll(scores.bothWays(single));
    }
    Measure same = outputs.identical(single);
    if (clean && gate.profile(Side.OLD).deterministic() && same.state() == MeasureState.FAIL) {
      required.add(same);
    } else {
      shown(outputs, single, shown);
    }
    shown(outputs, production, shown);
    for (Regime[] regimes :
        List.of(
            new Regime[] {Regime.SINGLE, Regime.SINGLE_AGAIN},
            new Regime[] {Regime.PRODUCTION, Regime.PRODUCTION_AGAIN})) {
      ArmPair newer = ArmPair.within(Side.NEW, regimes[0], regimes[1]);
      shown(outputs, newer, shown);
      scores.bothWays(newer).stream()
          .filter(m -> m.value() != null)
          .map(Verdicts::reported)
          .forEach(shown::add);
    }
    CheckState state = Verdicts.all(required.stream().map(Measure::state).toList());
    List<Measure> measures = new ArrayList<>(required);
    measures.addAll(shown);
    return new AaControl(state, why(state, required), measures);
  }

  private static void shown(OutputGaps outputs, ArmPair pair, List<Measure> shown) {
    if (outputs.has(pair)) {
      shown.add(Verdicts.reported(outputs.identical(pair)));
    }
  }

  private static String why(CheckState state, List<Measure> required) {
    String details = Verdicts.why(state, required, "the old side equals itself within the margins");
    return switch (state) {
      case PASS -> details;
      case FAIL -> "the old side differs from itself: " + details;
      default -> "the old side was not shown to equal itself: " + details;
    };
  }
}
