package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outputs of one side under two conditions. They may differ, as floating point does in another
 * batch, but not both farther than the noise floor and too far to be alike: either test is enough.
 * Of chat there is only the distance; where chance draws the tokens it is shown and decides
 * nothing.
 *
 * @param state of both tests together; null when it decides nothing
 * @param measures both tests
 */
record OutputParity(@Nullable MeasureState state, List<Measure> measures) {

  /**
   * Compares.
   *
   * @param floor what distances are held against
   * @param repeatable whether both arms draw without chance, so that outputs can be held to
   *     anything
   */
  static OutputParity of(
      GateCase gate, OutputGaps outputs, ArmPair pair, ArmPair floor, boolean repeatable) {
    Side side = pair.right().side();
    String unpaired = gate.unpaired(side);
    if (unpaired != null) {
      return new OutputParity(
          MeasureState.INSUFFICIENT, List.of(Verdicts.missing("outputs", pair.label(), unpaired)));
    }
    List<Measure> measures = new ArrayList<>(outputs.ratios(pair, floor));
    MeasureState near = Verdicts.together(measures);
    if (gate.evidence().modality() == Modality.CHAT) {
      if (!repeatable && !outputs.has(pair)) {
        return new OutputParity(null, List.of());
      }
      measures.add(outputs.firstDivergence(pair));
      return new OutputParity(repeatable ? near : null, measures);
    }
    Measure alike = outputs.alike(pair);
    measures.add(alike);
    return new OutputParity(Verdicts.any(near, alike.state()), measures);
  }

  /** Adds what decides to {@code required} and what does not to {@code shown}. */
  void add(List<Measure> required, List<Measure> shown) {
    for (Measure measure : measures) {
      if (state != null && measure.state() == state) {
        required.add(measure);
      } else {
        shown.add(Verdicts.reported(measure));
      }
    }
  }
}
