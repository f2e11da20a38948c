package io.servedrift.monitors.gate;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the gate says, and all it rests on.
 *
 * @param outcome as a whole
 * @param why one sentence
 * @param modality what the endpoints make
 * @param oldSide the old endpoint before the run
 * @param newSide the new endpoint before the run
 * @param settings how the answers were collected
 * @param policy hash of the policy judged by
 * @param problems what stands in the way of a verdict, one sentence each
 * @param errors share of errors of each arm
 * @param control each side against itself
 * @param checks in the order of {@link CheckName}, each exactly once
 * @param deciding what moved the quality
 * @param bar null unless the gate passed and the policy has a quality bar
 * @param coverage null when no live traffic was given
 * @param costs per arm
 * @param tails latencies per arm
 * @param changed what differs between the sides
 * @param readiness what stands ready for afterwards
 */
public record GateResult(
    GateOutcome outcome,
    String why,
    Modality modality,
    EndpointFacts oldSide,
    EndpointFacts newSide,
    RunSettings settings,
    String policy,
    List<String> problems,
    List<Measure> errors,
    AaControl control,
    List<CheckResult> checks,
    DecidingSentence deciding,
    @Nullable BarSentence bar,
    @Nullable RegimeCoverage coverage,
    List<ArmCost> costs,
    List<ArmTail> tails,
    ChangedAxes changed,
    Readiness readiness) {
  public GateResult {
    problems = List.copyOf(problems);
    errors = List.copyOf(errors);
    checks = List.copyOf(checks);
    costs = List.copyOf(costs);
    tails = List.copyOf(tails);
  }

  /** The result of one check. */
  public Optional<CheckResult> check(CheckName name) {
    return checks.stream().filter(c -> c.name() == name).findFirst();
  }
}
