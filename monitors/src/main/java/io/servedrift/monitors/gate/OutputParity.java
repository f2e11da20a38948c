package io.servedrift.monitors.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outputs of one side under two conditions. They may differ, as floating point does in another
 * batch, but not both farther than the noise floor and too far to be alike: either test is enough.
 * Of chat only the distance is shown, as one other token changes all that follow; there the scores
 * decide.
 *
 * @param state of both tests together; null when it decides nothing
 * @param measures both tests
 */
record OutputParity(@Nullable MeasureState state, List<Measure> measures) {

  static OutputParity of(GateCase gate, OutputGaps outputs, ArmPair pair, ArmPair floor) {
    Side side = pair.right().side();
    if (!gate.profile(side).seed()) {
      return new OutputParity(
          MeasureState.INSUFFICIENT,
          List.of(
              Verdicts.missing(
                  "outputs", pair.label(), "the endpoint takes no seed: they cannot be paired")));
    }
    Measure ratio = outputs.ratio(pair, floor);
    if (gate.evidence().modality() == Modality.CHAT) {
      return new OutputParity(
          null,
          outputs.has(pair)
              ? List.of(Verdicts.reported(ratio), outputs.firstDivergence(pair))
              : List.of());
    }
    Measure alike = outputs.alike(pair);
    return new OutputParity(Verdicts.any(ratio.state(), alike.state()), List.of(ratio, alike));
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
