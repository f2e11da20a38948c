package io.servedrift.serving.scheduler;

import java.util.EnumMap;
import java.util.Map;

/** Counts since the start. Guarded by the planner. */
final class Tally {

  long submitted;
  long refused;
  long steps;
  long sampleSteps;
  long preemptions;
  private final Map<Outcome, Long> ended = new EnumMap<>(Outcome.class);

  void count(Outcome outcome) {
    ended.merge(outcome, 1L, Long::sum);
  }

  SchedulerStatistics statistics(int running, int preempted, int waiting) {
    return new SchedulerStatistics(
        submitted,
        refused,
        ended(Outcome.DONE),
        ended(Outcome.FAILED),
        ended(Outcome.CANCELLED),
        ended(Outcome.TIMED_OUT),
        running,
        preempted,
        waiting,
        steps,
        sampleSteps,
        preemptions);
  }

  private long ended(Outcome outcome) {
    return ended.getOrDefault(outcome, 0L);
  }
}
