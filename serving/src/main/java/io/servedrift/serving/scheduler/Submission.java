package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.recorder.Ending;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A request that the scheduler took. Thread-safe. */
public final class Submission {

  private final Job job;
  private final Runnable cancel;

  Submission(Job job, Runnable cancel) {
    this.job = job;
    this.cancel = cancel;
  }

  /**
   * The image; or, as the cause of a {@link CompletionException}, {@link CancellationException},
   * {@link DeadlineException} or what the backend threw. Each call gives a future of its own;
   * completing or cancelling it does not reach the request. What is attached to it runs on one
   * thread for all requests, which is not that of the steps, and must not block.
   */
  public CompletableFuture<ImageOutput> result() {
    return job.result.copy();
  }

  /**
   * Gives the request up: it leaves the queue or the batch before the next step. Does nothing when
   * it has ended.
   */
  public void cancel() {
    cancel.run();
  }

  /** How a request ended whose result is this failure. */
  public static Ending ending(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof CancellationException) {
      return Ending.cancelled();
    }
    return cause instanceof DeadlineException ? Ending.timeout() : Ending.error(cause);
  }
}
