package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes what the planner decides: begins, steps, decodes, ends, and tells the recorders. Every
 * call comes from the stepping thread, so the backend sees one thread.
 */
final class StepLoop {

  private static final Logger log = LoggerFactory.getLogger(StepLoop.class);

  private final DiffusionBackend backend;
  private final BatchPlanner planner;
  private final SchedulerFaults faults;
  private final Executor results;
  private final LongSupplier nanoTime;

  /**
   * A loop.
   *
   * @param results completes the results, so that what callers attach to them does not run here
   * @param nanoTime monotonic timer
   */
  StepLoop(
      DiffusionBackend backend,
      BatchPlanner planner,
      SchedulerFaults faults,
      Executor results,
      LongSupplier nanoTime) {
    this.backend = backend;
    this.planner = planner;
    this.faults = faults;
    this.results = results;
    this.nanoTime = nanoTime;
  }

  /** One round: admission, one step, decoding of what is ready. */
  void advance() {
    Admission admission = planner.admit(nanoTime.getAsLong());
    BatchReport.admitted(admission);
    for (Job job : admission.givenUp) {
      giveUp(job, Objects.requireNonNull(job.givenUp));
    }
    for (Job job : admission.expired) {
      giveUp(job, new DeadlineException());
    }
    for (Job job : admission.started) {
      begin(job);
    }
    Step step = planner.nextStep();
    if (!step.batch().isEmpty()) {
      make(step);
    } else if (!planner.idle()) {
      faults.nothingRuns();
    }
  }

  /**
   * Ends these with this failure, each for itself: for a loop that cannot go on, and whose planner
   * may be what failed.
   */
  void abandon(Collection<Job> jobs, Throwable failure) {
    for (Job job : jobs) {
      try {
        planner.end(job, Outcome.FAILED);
        free(job);
      } catch (RuntimeException | Error e) {
        log.warn("a request could not be ended in order: {}", e.getClass().getName());
      }
      try {
        results.execute(() -> job.result.completeExceptionally(failure));
      } catch (RejectedExecutionException e) {
        // A shutdown that has given this thread up; nobody else would complete it.
        job.result.completeExceptionally(failure);
      }
    }
  }

  private void begin(Job job) {
    try {
      job.generation = backend.begin(job.request, job.recorder);
    } catch (RuntimeException | Error e) {
      fail(job, e);
    }
  }

  private void make(Step step) {
    List<Job> batch = step.batch();
    long start = nanoTime.getAsLong();
    try {
      backend.step(batch.stream().map(StepLoop::generation).toList());
    } catch (RuntimeException | Error e) {
      batch.forEach(job -> fail(job, e));
      return;
    }
    faults.stepped(nanoTime.getAsLong() - start);
    planner.stepped(batch.size());
    BatchReport.stepped(step, Duration.ofNanos(nanoTime.getAsLong() - start));
    for (Job job : batch) {
      if (generation(job).remainingSteps() == 0) {
        decode(job);
      }
    }
    faults
        .victim(batch)
        .ifPresent(
            job -> {
              planner.hold(job, SchedulerFaults.THRASH_HOLD_STEPS);
              job.recorder.preempted();
            });
  }

  private void decode(Job job) {
    ImageOutput image;
    try {
      image = backend.decode(generation(job));
    } catch (RuntimeException | Error e) {
      fail(job, e);
      return;
    }
    free(job);
    planner.end(job, Outcome.DONE);
    results.execute(() -> job.result.complete(image));
  }

  private void fail(Job job, Throwable failure) {
    // The text of an exception may quote the prompt; the caller gets it, the log does not.
    log.warn("request failed in the backend: {}", failure.getClass().getName());
    planner.end(job, Outcome.FAILED);
    giveUp(job, failure);
  }

  private void giveUp(Job job, Throwable why) {
    free(job);
    results.execute(() -> job.result.completeExceptionally(why));
  }

  private static void free(Job job) {
    Generation generation = job.generation;
    job.generation = null;
    // Else every request would hold on to those before it.
    job.company = List.of();
    if (generation != null) {
      try {
        generation.close();
      } catch (RuntimeException e) {
        log.warn("a generation could not be closed: {}", e.getClass().getName());
      }
    }
  }

  private static Generation generation(Job job) {
    return Objects.requireNonNull(job.generation);
  }
}
