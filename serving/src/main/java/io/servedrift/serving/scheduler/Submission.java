package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.recorder.Ending;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** A request that the scheduler took. Thread-safe. */
public final class Submission {

  private final Job job;
  private final Consumer<Throwable> giveUp;

  Submission(Job job, Consumer<Throwable> giveUp) {
    this.job = job;
    this.giveUp = giveUp;
  }

  /**
   * The image; or, as the cause of a {@link CompletionException}, {@link CancellationException},
   * {@link DeadlineException}, {@link DrainTimeoutException}, what {@link #giveUp} was given or
   * what the backend threw. Each call gives a future of its own; completing or cancelling it does
   * not reach the request. What is attached to it runs on one thread for all requests, which is not
   * that of the steps, and must not block.
   */
  public CompletableFuture<ImageOutput> result() {
    return job.result.copy();
  }

  /**
   * The client does not want it any more: it leaves the queue or the batch before the next step.
   * Does nothing when it has ended.
   */
  public void cancel() {
    giveUp.accept(new CancellationException("cancelled"));
  }

  /**
   * The node does not go on with it: as {@link #cancel}, but it ends as failed.
   *
   * @param why what its result fails with, and whose class its event names
   */
  public void giveUp(RuntimeException why) {
    giveUp.accept(why);
  }

  /** How a request ended whose result is this failure. */
  public static Ending ending(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof CancellationException) {
      return Ending.cancelled();
    }
    return cause instanceof DeadlineException ? Ending.timeout() : Ending.error(cause);
  }

  /** What failed, without what futures wrap around it. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
