package io.servedrift.serving.scheduler;

import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

  /** How long a shutdown waits for the step that is being made when the grace is over. */
  private static final Duration LAST_STEP = Duration.ofSeconds(10);

  /** How long a shutdown waits for callbacks of results, which do not block. */
  private static final Duration CALLBACKS = Duration.ofSeconds(5);

  /** How long {@link #shutdown} takes beyond its grace at most. */
  public static final Duration LONGEST_STOP = LAST_STEP.plus(CALLBACKS);

  private final BatchPlanner planner;
  private final StepLoop loop;
  private final ExecutorService results;
  private final Thread thread;
  private final CompletableFuture<Void> failure = new CompletableFuture<>();

  /** Requests without a result; also those that the planner has just let go. */
  private final Set<Job> open = ConcurrentHashMap.newKeySet();

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
   * A request to be handed over.
   *
   * @param recorder is told of everything that happens to the request, except its end
   */
  public record Offer(ImageRequest request, RequestRecorder recorder) {}

  /**
   * Hands a request over; does not wait.
   *
   * @throws RefusedException when as many wait as may, or the scheduler is shut down
   */
  public Submission submit(ImageRequest request, RequestRecorder recorder) throws RefusedException {
    return submitAll(List.of(new Offer(request, recorder))).get(0);
  }

  /**
   * Hands requests over, all or none; does not wait.
   *
   * @return one for each offer, in order
   * @throws RefusedException when not all of them may wait, or the scheduler is shut down
   */
  public List<Submission> submitAll(List<Offer> offers) throws RefusedException {
    long now = System.nanoTime();
    List<Job> jobs =
        offers.stream().map(offer -> new Job(offer.request, offer.recorder, now)).toList();
    // Before they are offered: what the planner has taken is never missed by an end with failure.
    for (Job job : jobs) {
      open.add(job);
      var unused = job.result.whenComplete((image, failed) -> open.remove(job));
    }
    BatchPlanner.Offer offer;
    try {
      offer = planner.offerAll(jobs);
    } catch (RuntimeException | Error e) {
      jobs.forEach(open::remove);
      throw e;
    }
    if (offer != BatchPlanner.Offer.TAKEN) {
      jobs.forEach(open::remove);
      throw offer == BatchPlanner.Offer.FULL
          ? new QueueFullException()
          : new ShuttingDownException();
    }
    LockSupport.unpark(thread);
    return jobs.stream().map(job -> new Submission(job, why -> giveUp(job, why))).toList();
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
   * Completes when the scheduler cannot go on, by an error of its own and not of the backend: none
   * is taken any more, and all requests without a result are about to fail.
   */
  public CompletableFuture<Void> failure() {
    return failure.copy();
  }

  /** Whether {@link #failure} has happened. */
  public boolean failed() {
    return failure.isDone();
  }

  /**
   * Refuses new requests, finishes those it has for so long, then gives the rest up, which fails
   * with {@link DrainTimeoutException}. Waits until the backend is not used any more, in the usual
   * case.
   *
   * @param grace zero gives up at once
   * @return whether every request could end by itself
   */
  public boolean shutdown(Duration grace) {
    planner.close();
    try {
      boolean drained = ended(grace);
      planner.giveUpAll(new DrainTimeoutException());
      if (!drained && !ended(LAST_STEP)) {
        log.error("the backend has not returned for {} s; giving it up", LAST_STEP.toSeconds());
      }
      results.shutdown();
      if (!results.awaitTermination(CALLBACKS.toSeconds(), TimeUnit.SECONDS)) {
        log.error("what a caller attached to a result has not returned; giving it up");
      }
      return drained;
    } catch (InterruptedException e) {
      planner.giveUpAll(new DrainTimeoutException());
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Gives up what it has; {@link #shutdown} without grace. */
  @Override
  public void close() {
    shutdown(Duration.ZERO);
  }

  private boolean ended(Duration atMost) throws InterruptedException {
    LockSupport.unpark(thread);
    thread.join(Math.max(1, atMost.toMillis()));
    return !thread.isAlive();
  }

  private void giveUp(Job job, Throwable why) {
    planner.giveUp(job, why);
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
      // Without its text, which may quote a prompt.
      log.error(
          "the scheduler cannot go on: {} {}",
          e.getClass().getName(),
          Arrays.toString(e.getStackTrace()));
      planner.close();
      failure.complete(null);
      loop.abandon(List.copyOf(open), e);
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
