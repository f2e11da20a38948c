package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a run that is done whole or not at all: after an interruption the run goes on with the
 * first that is not done. Immutable.
 *
 * @param regime how the endpoint is driven
 * @param side which one; null when both are asked in turn
 * @param block number of the block, from 0
 * @param load level of the open loop, else null
 * @param prompts what is asked
 * @param concurrency requests in flight, where that is fixed
 */
record Step(
    Regime regime,
    @Nullable Side side,
    int block,
    @Nullable Double load,
    List<GatePrompt> prompts,
    int concurrency) {
  Step {
    prompts = List.copyOf(prompts);
  }

  /** Its name in the journal, unique in a plan. */
  String id() {
    return (side == null ? "both" : side.label())
        + "/"
        + regime.label()
        + (load == null ? "" : "@" + load)
        + "/"
        + block;
  }
}
