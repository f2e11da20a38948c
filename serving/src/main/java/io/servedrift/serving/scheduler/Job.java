package io.servedrift.serving.scheduler;

import io.servedrift.serving.generation.BatchKey;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request in the scheduler. What the planner decides on is guarded by the planner; {@link
 * #generation} and {@link #company} belong to the stepping thread.
 */
final class Job {

  /** Where a request is. */
  enum State {
    WAITING,
    RUNNING,
    PREEMPTED,
    ENDED
  }

  final ImageRequest request;
  final RequestRecorder recorder;
  final BatchKey key;
  final CompletableFuture<ImageOutput> result = new CompletableFuture<>();
  private final long submittedNanos;
  private final long allowedNanos;

  /** Place in the order of submission. */
  long order;

  State state = State.WAITING;
  int preemptions;

  /** How many that were submitted later went before it. */
  int overtaken;

  /** It was overtaken too often: goes before all others and is not preempted any more. */
  boolean overdue;

  /**
   * Why it is to end before it is ready; {@code null} while it may go on. The first reason counts.
   */
  @Nullable Throwable givenUp;

  /** Not resumed before this many steps of the planner. */
  long heldUntilStep;

  @Nullable Generation generation;

  /** The batch of its latest step; empty before the first. */
  List<Job> company = List.of();

  /**
   * A request is submitted.
   *
   * @param nowNanos reading of the monotonic timer that {@link #expired} is asked with
   */
  Job(ImageRequest request, RequestRecorder recorder, long nowNanos) {
    this.request = request;
    this.recorder = recorder;
    this.key = BatchKey.of(request);
    this.submittedNanos = nowNanos;
    this.allowedNanos = allowed(request.timeout(), recorder.age());
  }

  /** Whether its deadline has passed. */
  boolean expired(long nowNanos) {
    return allowedNanos < Long.MAX_VALUE && nowNanos - submittedNanos >= allowedNanos;
  }

  int priority() {
    return request.priority();
  }

  private static long allowed(@Nullable Duration timeout, Duration age) {
    if (timeout == null || timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
      return Long.MAX_VALUE;
    }
    return Math.max(0, timeout.minus(age).toNanos());
  }
}
