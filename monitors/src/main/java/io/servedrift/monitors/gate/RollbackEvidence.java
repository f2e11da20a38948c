package io.servedrift.monitors.gate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the dry run of the way back showed. Answers after it are in the arm {@link
 * Regime#AFTER_FLIP}.
 *
 * @param attempted whether clients were brought to the new side, or may have been
 * @param how e.g. {@code flip command}, {@code url switch}
 * @param before the old side as it served before
 * @param after what serves after the way back; null when nothing answered
 * @param inFlight requests in flight during the flip
 * @param inFlightLost those of them that got no good answer
 * @param problems one sentence each: what went wrong on the way back, which fails the check, or why
 *     it was not attempted
 */
public record RollbackEvidence(
    boolean attempted,
    String how,
    @Nullable EndpointFacts before,
    @Nullable EndpointFacts after,
    int inFlight,
    int inFlightLost,
    List<String> problems) {
  public RollbackEvidence {
    problems = List.copyOf(problems);
  }
}
