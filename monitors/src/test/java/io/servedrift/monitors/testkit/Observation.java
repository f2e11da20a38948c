package io.servedrift.monitors.testkit;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * One series or scenario that a monitor watched.
 *
 * @param group row of the table that it counts in
 * @param truth what was really the matter
 * @param from when watching began: the baseline is learned, alarms count
 * @param onset when the fault began; for silence, anything
 * @param to when watching ended
 * @param requests when requests ended
 * @param outcomes what the monitor said, in any order
 */
public record Observation(
    String group,
    Truth truth,
    Instant from,
    Instant onset,
    Instant to,
    FinishTimes requests,
    List<Outcome> outcomes) {
  public Observation {
    if (to.isBefore(from)) {
      throw new IllegalArgumentException(
          group + ": watching ends at " + to + ", before it begins at " + from);
    }
    outcomes = outcomes.stream().sorted(Comparator.comparing(Outcome::detectedAt)).toList();
  }

  /** Whether someone had to be told. */
  boolean alerting() {
    return truth.alerts();
  }
}
