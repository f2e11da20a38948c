package io.servedrift.serving.scheduler;

import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes images with continuous batching: requests join and leave between the denoising steps. One
 * thread decides, begins, steps and decodes; nothing that callers do makes it wait.
 *
 * <p>Requests with equal {@link io.servedrift.serving.generation.BatchKey}s share a batch. Higher
 * priorities go first and may take the place of lower ones, which keep their latent and go on
 * later; nobody waits for ever. Deadlines and cancellations take effect before the next step. A
 * failure of the backend ends the request, or the batch, that it concerns. Thread-safe.
 */
public final class BatchScheduler implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BatchScheduler.class);

  /** How long a shutdown waits for the step that is being made, and for callbacks of results. */
  private static final Duration LAST_STEP = Duration.ofSeconds(30);

  private final BatchPlanner planner;
  private final StepLoop loop;
  private final ExecutorService results;
  private final Thread thread;

  private BatchScheduler(DiffusionBackend backend, SchedulerLimits limits, Faults faults) {
    planner = new BatchPlanner(limits);
    results = Executors.newSingleThreadExecutor(task -> daemon(task, "scheduler-results"));
    loop =
        new StepLoop(
            backend,
            planner,
            new SchedulerFaults(faults, BatchScheduler::pause),
            results,
            System::nanoTime);
    thread = daemon(this::run, "scheduler");
  }

  /** Starts a scheduler. The backend stays the caller's, to be closed after the scheduler. */
  public static BatchScheduler start(
      DiffusionBackend backend, SchedulerLimits limits, Faults faults) {
    BatchScheduler scheduler = new BatchScheduler(backend, limits, faults);
    scheduler.thread.start();
    return scheduler;
  }

  /**
   * Hands a request over; does not wait.
   *
   * @param recorder is told of everything that happens to the request, except its end
   * @throws RefusedException when as many wait as may, or the scheduler is shut down
   */
  public Submission submit(ImageRequest request, RequestRecorder recorder) throws RefusedException {
    Job job = new Job(request, recorder, System.nanoTime());
    switch (planner.offer(job)) {
      case FULL -> throw new RefusedException(RefusedException.Reason.QUEUE_FULL);
      case CLOSED -> throw new RefusedException(RefusedException.Reason.SHUTTING_DOWN);
      case TAKEN -> LockSupport.unpark(thread);
    }
    return new Submission(job, () -> cancel(job));
  }

  /** The limits in force. */
  public SchedulerLimits limits() {
    return planner.limits();
  }

  /**
   * Sets other limits, in force from the next step on: requests that run beyond them are preempted
   * and go on later; those that wait beyond them are kept.
   */
  public void setLimits(SchedulerLimits limits) {
    planner.limits(limits);
  }

  /** What it did so far and does now. */
  public SchedulerStatistics statistics() {
    return planner.statistics();
  }

  /** Whether it takes requests: neither shut down nor broken. */
  public boolean accepting() {
    return !planner.closed();
  }

  /**
   * Refuses new requests, finishes those it has for so long, then cancels the rest. Waits until the
   * backend is not used any more, in the usual case.
   *
   * @param grace zero cancels at once
   * @return whether every request could end by itself
   */
  public boolean shutdown(Duration grace) {
    planner.close();
    try {
      boolean drained = ended(grace);
      planner.cancelAll();
      if (!drained && !ended(LAST_STEP)) {
        log.error("the backend has not returned for {} s; giving it up", LAST_STEP.toSeconds());
      }
      results.shutdown();
      if (!results.awaitTermination(LAST_STEP.toSeconds(), TimeUnit.SECONDS)) {
        log.error("what a caller attached to a result has not returned; giving it up");
      }
      return drained;
    } catch (InterruptedException e) {
      planner.cancelAll();
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Cancels what it has; {@link #shutdown} without grace. */
  @Override
  public void close() {
    shutdown(Duration.ZERO);
  }

  private boolean ended(Duration atMost) throws InterruptedException {
    LockSupport.unpark(thread);
    thread.join(Math.max(1, atMost.toMillis()));
    return !thread.isAlive();
  }

  private void cancel(Job job) {
    planner.cancel(job);
    LockSupport.unpark(thread);
  }

  private void run() {
    try {
      while (!planner.finished()) {
        if (planner.idle()) {
          // A request that comes in between leaves a permit, with which this returns at once.
          LockSupport.park(this);
        } else {
          loop.advance();
        }
      }
    } catch (RuntimeException | Error e) {
      log.error("the scheduler cannot go on", e);
      planner.close();
      loop.abandon(e);
    }
  }

  private static void pause(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
