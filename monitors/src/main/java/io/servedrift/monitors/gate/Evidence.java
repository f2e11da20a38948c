package io.servedrift.monitors.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a run recorded, whole or cut short.
 *
 * @param modality what both endpoints make
 * @param oldBefore the old endpoint before the run
 * @param newBefore the new endpoint before the run
 * @param oldAfter the old endpoint after the run; null when the run did not get there
 * @param newAfter the new endpoint after the run
 * @param settings how the answers were collected
 * @param answers in any order
 * @param distances in any order
 * @param rollback null when the run did not get there
 * @param traffic null when no live traffic was given
 * @param readiness what stands ready for afterwards
 */
public record Evidence(
    Modality modality,
    EndpointFacts oldBefore,
    EndpointFacts newBefore,
    @Nullable EndpointFacts oldAfter,
    @Nullable EndpointFacts newAfter,
    RunSettings settings,
    List<Answer> answers,
    List<PairDistance> distances,
    @Nullable RollbackEvidence rollback,
    @Nullable TrafficProfile traffic,
    Readiness readiness) {
  public Evidence {
    answers = List.copyOf(answers);
    distances = List.copyOf(distances);
  }

  /** The endpoint of a side before the run. */
  public EndpointFacts before(Side side) {
    return side == Side.OLD ? oldBefore : newBefore;
  }

  /** The endpoint of a side after the run; null when not read. */
  public @Nullable EndpointFacts after(Side side) {
    return side == Side.OLD ? oldAfter : newAfter;
  }
}
