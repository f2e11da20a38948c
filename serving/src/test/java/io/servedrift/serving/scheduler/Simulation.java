package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.RequestRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler without its thread: the test calls each round, time passes only as it says. A step
 * takes a millisecond.
 */
final class Simulation {

  static final long STEP_NANOS = 1_000_000;

  final FakeBackend backend = new FakeBackend();
  final Faults faults = Faults.none();
  final BatchPlanner planner;
  final List<Job> taken = new ArrayList<>();
  final List<Long> pauses = new ArrayList<>();
  private final StepLoop loop;
  private final Map<Job, RequestEvent> events = new HashMap<>();
  private long now;
  private int completions;

  Simulation(SchedulerLimits limits) {
    planner = new BatchPlanner(limits);
    loop =
        new StepLoop(
            backend,
            planner,
            new SchedulerFaults(faults, this::pause),
            completion -> {
              completions++;
              completion.run();
            },
            () -> now);
    backend.beforeStep = ids -> now += STEP_NANOS;
  }

  private void pause(long nanos) {
    pauses.add(nanos);
    now += nanos;
  }

  /** The job, or {@code null} when it was refused. */
  @Nullable Job submit(ImageRequest request) {
    return submit(request, Requests.recorder(request.requestId(), () -> now));
  }

  /** A request that had arrived so long before. */
  Job submitAfter(ImageRequest request, Duration age) {
    RequestRecorder recorder = Requests.recorder(request.requestId(), () -> now);
    pass(age);
    return Objects.requireNonNull(submit(request, recorder));
  }

  private @Nullable Job submit(ImageRequest request, RequestRecorder recorder) {
    Job job = new Job(request, recorder, now);
    if (planner.offer(job) != BatchPlanner.Offer.TAKEN) {
      return null;
    }
    taken.add(job);
    var unused =
        job.result.whenComplete(
            (image, failure) ->
                events.put(
                    job,
                    job.recorder
                        .finish(failure == null ? Ending.ok("stop") : Submission.ending(failure))
                        .orElseThrow()));
    return job;
  }

  Job submit(String id, int steps, int width, int priority) {
    return Objects.requireNonNull(submit(Requests.request(id, steps, width, priority, null)));
  }

  void pass(Duration time) {
    now += time.toNanos();
  }

  void advance() {
    loop.advance();
  }

  void abandon(Throwable failure) {
    loop.abandon(planner.all(), failure);
  }

  /** Rounds until nothing is left; fails when there is no end. */
  void drain() {
    int rounds = 0;
    while (!planner.idle()) {
      advance();
      assertThat(++rounds).isLessThan(1_000_000);
    }
  }

  /** The event of a request that has ended. */
  RequestEvent event(Job job) {
    RequestEvent event = events.get(job);
    assertThat(event).describedAs(job.request.requestId() + " has ended").isNotNull();
    return event;
  }

  int completions() {
    return completions;
  }

  /** Steps that the backend made for a request, by the size of the batch. */
  Map<Integer, Integer> stepsBySize(Job job) {
    Map<Integer, Integer> steps = new HashMap<>();
    for (List<String> batch : backend.batches) {
      if (batch.contains(job.request.requestId())) {
        steps.merge(batch.size(), 1, Integer::sum);
      }
    }
    return steps;
  }

  /** The same, as the request's event has it. */
  Map<Integer, Integer> recordedStepsBySize(Job job) {
    Map<Integer, Integer> steps = new HashMap<>();
    for (BatchSegment segment : event(job).getBatch().getSegments()) {
      steps.merge(segment.getSize(), segment.getSteps(), Integer::sum);
    }
    return steps;
  }

  /** How a request ended, by its result. */
  static String ending(Job job) {
    assertThat(job.result).isDone();
    try {
      job.result.join();
      return "ok";
    } catch (CancellationException e) {
      return "cancelled";
    } catch (CompletionException e) {
      return e.getCause() instanceof DeadlineException ? "timeout" : "error";
    }
  }
}
