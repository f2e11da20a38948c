package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.BatchKey;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;

/**
 * Decides which requests run and which batch is stepped next. Deterministic: no clock, no thread,
 * no backend; the same calls give the same decisions.
 *
 * <p>All running requests of one batch key form one batch. Waiting requests are taken by priority,
 * then by age, into the first place that is free for their key. One that waits while {@value
 * #MAX_OVERTAKEN} younger ones took a place that it could have had is overdue: it goes before all
 * others and is not preempted. Where no place is free, a request takes that of a running one of
 * lower priority. Of several batches, that with the highest priority in it is stepped, among equals
 * the one that has waited longest; none waits for ever, see {@link RunningBatches#PATIENCE}.
 *
 * <p>Thread-safe: every call is one decision.
 */
final class BatchPlanner {

  static final int MAX_OVERTAKEN = 16;

  private static final Comparator<Job> TURN =
      Comparator.comparing((Job job) -> !job.overdue)
          .thenComparing(Comparator.comparingInt(Job::priority).reversed())
          .thenComparingLong(job -> job.order);

  /** How an offer was answered. */
  enum Offer {
    TAKEN,
    FULL,
    CLOSED
  }

  /** Waiting and preempted requests. */
  private final TreeSet<Job> queue = new TreeSet<>(TURN);

  private final RunningBatches running = new RunningBatches();
  private final Tally tally = new Tally();
  private SchedulerLimits limits;
  private boolean closed;
  private int preempted;
  private long orders;

  BatchPlanner(SchedulerLimits limits) {
    this.limits = limits;
  }

  synchronized SchedulerLimits limits() {
    return limits;
  }

  /** Sets other limits; what runs beyond them is preempted at the next admission. */
  synchronized void limits(SchedulerLimits now) {
    limits = now;
  }

  Offer offer(Job job) {
    return offerAll(List.of(job));
  }

  /** Takes all of them or none. */
  synchronized Offer offerAll(List<Job> jobs) {
    tally.submitted += jobs.size();
    if (closed || queue.size() + jobs.size() > limits.maxWaiting()) {
      tally.refused += jobs.size();
      return closed ? Offer.CLOSED : Offer.FULL;
    }
    for (Job job : jobs) {
      job.order = orders++;
      queue.add(job);
    }
    return Offer.TAKEN;
  }

  /**
   * Ends the request at the next admission.
   *
   * @param why {@link CancellationException} when nobody wants it any more, else a failure
   */
  synchronized void giveUp(Job job, Throwable why) {
    if (job.givenUp == null) {
      job.givenUp = why;
    }
  }

  /** Ends all requests at the next admission. */
  synchronized void giveUpAll(Throwable why) {
    all().forEach(job -> giveUp(job, why));
  }

  /** Refuses what comes from now on. */
  synchronized void close() {
    closed = true;
  }

  synchronized boolean closed() {
    return closed;
  }

  /** Whether there is nothing to do. */
  synchronized boolean idle() {
    return running.size() == 0 && queue.isEmpty();
  }

  /** Whether there is nothing to do and nothing new is taken. */
  synchronized boolean finished() {
    return closed && idle();
  }

  /** Everything that has not ended, running ones first. */
  synchronized List<Job> all() {
    List<Job> all = running.jobs();
    all.addAll(queue);
    return all;
  }

  /**
   * Ends what was given up or is late, preempts what is beyond the limits and fills free places.
   */
  synchronized Admission admit(long nowNanos) {
    Admission admission = new Admission();
    for (Job job : all()) {
      if (job.givenUp != null) {
        boolean unwanted = job.givenUp instanceof CancellationException;
        end(job, unwanted ? Outcome.CANCELLED : Outcome.FAILED);
        admission.givenUp.add(job);
      } else if (job.expired(nowNanos)) {
        end(job, Outcome.TIMED_OUT);
        admission.expired.add(job);
      }
    }
    shrink(admission);
    if (!queue.isEmpty()) {
      fill(admission);
    }
    admission.running = running.size();
    admission.waiting = queue.size();
    return admission;
  }

  /** Chooses the next batch. */
  synchronized Step nextStep() {
    return running.next();
  }

  /** The backend made a step. */
  synchronized void stepped(int batchSize) {
    tally.steps++;
    tally.sampleSteps += batchSize;
  }

  /** A request ended; its place is free. Ending it again does nothing. */
  synchronized void end(Job job, Outcome outcome) {
    switch (job.state) {
      case RUNNING -> running.remove(job);
      case WAITING -> queue.remove(job);
      case PREEMPTED -> {
        queue.remove(job);
        preempted--;
      }
      case ENDED -> {
        return;
      }
    }
    job.state = Job.State.ENDED;
    tally.count(outcome);
  }

  /** Preempts a running request without need and does not resume it for so many steps. */
  synchronized void hold(Job job, int steps) {
    preempt(job);
    job.heldUntilStep = running.steps() + steps;
  }

  synchronized SchedulerStatistics statistics() {
    return tally.statistics(running.size(), preempted, queue.size() - preempted);
  }

  private void shrink(Admission admission) {
    for (Job job : running.jobs()) {
      List<Job> batch = running.jobs(job.key);
      if (batch.size() > limits.batchSize()) {
        admission.preempted.add(preempt(Collections.min(batch, RunningBatches.LEAST_LOSS)));
      }
    }
    while (running.size() > limits.running()) {
      admission.preempted.add(preempt(Collections.min(running.jobs(), RunningBatches.LEAST_LOSS)));
    }
  }

  private void fill(Admission admission) {
    for (Job job : List.copyOf(queue)) {
      if (held(job)) {
        continue;
      }
      if (!room(job.key)) {
        Optional<Job> victim = victim(job);
        if (victim.isEmpty()) {
          continue;
        }
        admission.preempted.add(preempt(victim.get()));
      }
      (job.state == Job.State.PREEMPTED ? admission.resumed : admission.started).add(job);
      enter(job);
    }
  }

  private boolean held(Job job) {
    return job.heldUntilStep > running.steps();
  }

  private boolean room(BatchKey key) {
    return running.size() < limits.running() && !full(key);
  }

  private boolean full(BatchKey key) {
    return running.size(key) >= limits.batchSize();
  }

  private Optional<Job> victim(Job job) {
    // At most as many latents are kept aside as are worked on: the device's memory is bounded.
    if (preempted >= limits.running()) {
      return Optional.empty();
    }
    return (full(job.key) ? running.jobs(job.key) : running.jobs())
        .stream()
            .filter(other -> other.priority() < job.priority())
            .filter(other -> !other.overdue && other.preemptions < limits.preemptions())
            .min(RunningBatches.LEAST_LOSS);
  }

  private void enter(Job job) {
    queue.remove(job);
    if (job.state == Job.State.PREEMPTED) {
      preempted--;
    } else {
      overtake(job);
    }
    job.state = Job.State.RUNNING;
    running.add(job);
  }

  private void overtake(Job taken) {
    for (Job job : List.copyOf(queue)) {
      // Who could not have had the place was not overtaken.
      boolean passed = job.order < taken.order && room(job.key) && !held(job);
      if (passed && ++job.overtaken == MAX_OVERTAKEN) {
        queue.remove(job);
        job.overdue = true;
        queue.add(job);
      }
    }
  }

  private Job preempt(Job job) {
    running.remove(job);
    job.state = Job.State.PREEMPTED;
    job.preemptions++;
    preempted++;
    tally.preemptions++;
    queue.add(job);
    return job;
  }
}
