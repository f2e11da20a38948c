package io.servedrift.serving.scheduler;

import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** The scheduler's faults on purpose. Owned by the stepping thread. */
final class SchedulerFaults {

  /**
   * A slow node waits twice as long as each step took. Half of that was not seen: the node waits
   * and does not compute, which makes others on the same machine faster.
   */
  static final double SLOWNESS = 2;

  /** A request is preempted without need once in so many steps. */
  static final int THRASH_STEPS = 4;

  /** And held for so many: less adds a fifth to a latency, which nobody would be told of. */
  static final int THRASH_HOLD_STEPS = 12;

  private final Faults faults;
  private final LongConsumer pauseNanos;
  private long steps;
  private long lastStepNanos;

  /** With a way to let the thread wait for so many nanoseconds. */
  SchedulerFaults(Faults faults, LongConsumer pauseNanos) {
    this.faults = faults;
    this.pauseNanos = pauseNanos;
  }

  /** A step took so long. */
  void stepped(long nanos) {
    steps++;
    lastStepNanos = nanos;
    if (faults.on(Fault.SLOW_NODE)) {
      pauseNanos.accept((long) (nanos * SLOWNESS));
    }
  }

  /** Whom of the batch to preempt without need now. */
  Optional<Job> victim(List<Job> batch) {
    if (!faults.on(Fault.PREEMPTION_THRASH) || steps % THRASH_STEPS != 0) {
      return Optional.empty();
    }
    return batch.stream()
        .filter(job -> job.state == Job.State.RUNNING)
        .min(Comparator.comparingInt(job -> job.preemptions));
  }

  /** No request runs though some are there: all are held, for the time that a step would take. */
  void nothingRuns() {
    pauseNanos.accept(lastStepNanos);
  }
}
