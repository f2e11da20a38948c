package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.Side;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a gate is run on.
 *
 * @param oldSide how the old endpoint is reached
 * @param newSide how the new endpoint is reached
 * @param oldDeclared what is declared of it
 * @param newDeclared what is declared of it
 * @param prompts of the prompts file, all of them
 * @param scorer null for none
 * @param traffic null for none
 * @param switched address through which clients ask, for the way back; null for none
 * @param flipCommand switches it; null for none
 * @param readiness looks, with the new side's facts, whether what watches afterwards is in place
 * @param options how it is run
 */
public record RunInput(
    EndpointAccess oldSide,
    EndpointAccess newSide,
    Declaration oldDeclared,
    Declaration newDeclared,
    List<GatePrompt> prompts,
    @Nullable EndpointAccess scorer,
    @Nullable RecordedTraffic traffic,
    @Nullable EndpointAccess switched,
    @Nullable String flipCommand,
    Function<EndpointFacts, Readiness> readiness,
    RunOptions options) {
  public RunInput {
    prompts = List.copyOf(prompts);
  }

  EndpointAccess access(Side side) {
    return side == Side.OLD ? oldSide : newSide;
  }

  Declaration declared(Side side) {
    return side == Side.OLD ? oldDeclared : newDeclared;
  }
}
