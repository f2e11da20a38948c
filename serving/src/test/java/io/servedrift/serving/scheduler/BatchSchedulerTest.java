package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.RequestRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scheduler with its thread. The backend makes a step for each permit, so nothing races. */
@Timeout(60)
class BatchSchedulerTest {

  private static final int PLENTY = 1_000_000;

  private final FakeBackend backend = new FakeBackend();
  private final Semaphore permits = new Semaphore(0);
  private final Semaphore steps = new Semaphore(0);
  private final BatchScheduler scheduler =
      BatchScheduler.start(backend, SchedulerLimits.continuous(), Faults.none());

  BatchSchedulerTest() {
    backend.beforeStep =
        ids -> {
          steps.release();
          permits.acquireUninterruptibly();
        };
  }

  @AfterEach
  void close() {
    permits.release(PLENTY);
    scheduler.close();
    assertThat(backend.open).isZero();
    assertThat(backend.violations).isEmpty();
  }

  private Submission submit(String id, int count) throws RefusedException {
    return scheduler.submit(Requests.request(id, count), Requests.recorder(id));
  }

  private void awaitStep() {
    steps.acquireUninterruptibly();
  }

  @Test
  void givesImage_whenStepsAreMade() throws Exception {
    Submission submission = submit("r-1", 3);
    permits.release(3);
    ImageOutput image = submission.result().get();

    assertThat(image.rgb()).containsExactly(7, 0, 0);
    assertThat(backend.batches).containsExactly(List.of("r-1"), List.of("r-1"), List.of("r-1"));
    assertThat(scheduler.statistics())
        .isEqualTo(new SchedulerStatistics(1, 0, 1, 0, 0, 0, 0, 0, 0, 3, 3, 0));
  }

  @Test
  void joinsBatchBetweenSteps_whenAnotherRuns() throws Exception {
    Submission first = submit("r-1", 3);
    awaitStep();
    Submission second = submit("r-2", 1);
    permits.release(3);
    first.result().get();
    second.result().get();

    assertThat(backend.batches)
        .containsExactly(List.of("r-1"), List.of("r-1", "r-2"), List.of("r-1"));
  }

  @Test
  void refusesAtOnce_whenQueueIsFull() throws Exception {
    scheduler.setLimits(new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 2, 0));
    submit("r-1", 1);
    awaitStep();
    submit("r-2", 1);
    submit("r-3", 1);

    assertThatThrownBy(() -> submit("r-4", 1)).isInstanceOf(QueueFullException.class);
    assertThat(scheduler.statistics().refused()).isEqualTo(1);
    assertThat(scheduler.statistics().waiting()).isEqualTo(2);
  }

  @Test
  void takesAllOrNone_whenSeveralAreSubmittedTogether() throws Exception {
    scheduler.setLimits(new SchedulerLimits(BatchingMode.SINGLE, 1, 1, 2, 0));
    submit("r-0", 1);
    awaitStep();

    assertThatThrownBy(() -> scheduler.submitAll(offers("a-0", "a-1", "a-2")))
        .isInstanceOf(QueueFullException.class);
    assertThat(scheduler.statistics().waiting()).isZero();
    assertThat(scheduler.statistics().refused()).isEqualTo(3);
    assertThat(scheduler.submitAll(offers("b-0", "b-1"))).hasSize(2);
    assertThat(scheduler.statistics().waiting()).isEqualTo(2);
    assertThat(scheduler.statistics().submitted()).isEqualTo(6);
  }

  private static List<BatchScheduler.Offer> offers(String... ids) {
    return Arrays.stream(ids)
        .map(id -> new BatchScheduler.Offer(Requests.request(id, 1), Requests.recorder(id)))
        .toList();
  }

  @Test
  void countsAsFailed_whatTheNodeGivesUp() throws Exception {
    Submission running = submit("r-1", PLENTY);
    awaitStep();
    running.giveUp(new IllegalStateException("given up"));
    running.cancel();
    permits.release(1);

    assertThatThrownBy(() -> running.result().get())
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(scheduler.statistics().failed()).isEqualTo(1);
    assertThat(scheduler.statistics().cancelled()).isZero();
  }

  @Test
  void tellsThatItCannotGoOn_andRefuses_whenItsOwnPartFails() throws Exception {
    Submission doomed =
        scheduler.submit(
            Requests.request("r-1", 1),
            new RequestRecorder(
                () -> {
                  throw new IllegalStateException("a bug");
                },
                "r-1"));

    scheduler.failure().get();
    assertThatThrownBy(() -> doomed.result().get()).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(scheduler.failed()).isTrue();
    assertThat(scheduler.accepting()).isFalse();
    assertThatThrownBy(() -> submit("r-2", 1)).isInstanceOf(ShuttingDownException.class);
  }

  @Test
  void completesEveryResult_alsoOfWhatThePlannerHasLetGo_whenItsOwnPartFails() throws Exception {
    Submission running = submit("r-1", 9);
    awaitStep();
    Submission cancelled = submit("r-2", 9);
    cancelled.cancel();
    Submission doomed =
        scheduler.submit(
            Requests.request("r-3", 1),
            new RequestRecorder(
                () -> {
                  throw new IllegalStateException("a bug");
                },
                "r-3"));
    // The next admission lets r-2 go and then fails at r-3.
    permits.release();

    for (Submission each : List.of(running, cancelled, doomed)) {
      assertThatThrownBy(() -> each.result().get(30, TimeUnit.SECONDS))
          .isInstanceOfAny(ExecutionException.class, CancellationException.class);
    }
    scheduler.failure().get();
    assertThat(scheduler.statistics().running()).isZero();
    assertThat(scheduler.statistics().waiting()).isZero();
  }

  @Test
  void freesSlotAtNextStep_whenRunningRequestIsCancelled() throws Exception {
    scheduler.setLimits(SchedulerLimits.single());
    Submission running = submit("r-1", PLENTY);
    awaitStep();
    Submission next = submit("r-2", 1);
    running.cancel();
    permits.release(2);
    next.result().get();

    assertThat(backend.batches).containsExactly(List.of("r-1"), List.of("r-2"));
    assertThat(backend.closed).containsExactly("r-1", "r-2");
    assertThatThrownBy(() -> running.result().join())
        .hasCauseInstanceOf(CancellationException.class);
  }

  @Test
  void neverBegins_whenWaitingRequestIsCancelled() throws Exception {
    scheduler.setLimits(SchedulerLimits.single());
    Submission running = submit("r-1", 1);
    awaitStep();
    Submission waiting = submit("r-2", 1);
    waiting.cancel();
    waiting.cancel();
    permits.release(1);
    running.result().get();

    assertThatThrownBy(() -> waiting.result().join())
        .hasCauseInstanceOf(CancellationException.class);
    assertThat(backend.begun).containsExactly("r-1");
    assertThat(scheduler.statistics().cancelled()).isEqualTo(1);
  }

  @Test
  void timesOut_whenDeadlineHasPassed() throws Exception {
    Submission late =
        scheduler.submit(
            Requests.request("r-1", 1, 64, 0, Duration.ZERO), Requests.recorder("r-1"));

    assertThatThrownBy(() -> late.result().get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DeadlineException.class);
    assertThat(scheduler.statistics().timedOut()).isEqualTo(1);
    assertThat(backend.begun).isEmpty();
  }

  @Test
  void goesOn_whenBackendFails() throws Exception {
    backend.failBegin.add("r-1");
    backend.failDecode.add("r-2");
    permits.release(PLENTY);
    Submission begin = submit("r-1", 1);
    Submission decode = submit("r-2", 1);
    Submission good = submit("r-3", 1);

    assertThatThrownBy(() -> begin.result().get())
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> decode.result().get()).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(good.result().get().width()).isEqualTo(1);
    assertThat(scheduler.accepting()).isTrue();
  }

  @Test
  void finishesEverything_whenShutDownWithTime() throws Exception {
    scheduler.setLimits(SchedulerLimits.single());
    Submission running = submit("r-1", 2);
    Submission waiting = submit("r-2", 2);
    permits.release(PLENTY);

    assertThat(scheduler.shutdown(Duration.ofMinutes(1))).isTrue();
    assertThat(running.result().get()).isNotNull();
    assertThat(waiting.result().get()).isNotNull();
    assertThat(scheduler.accepting()).isFalse();
    assertThatThrownBy(() -> submit("r-3", 1)).isInstanceOf(ShuttingDownException.class);
  }

  @Test
  void failsTheRest_whenTimeOfShutdownIsOver() throws Exception {
    Submission running = submit("r-1", PLENTY);
    awaitStep();
    permits.release(PLENTY - 1);

    assertThat(scheduler.shutdown(Duration.ofMillis(1))).isFalse();
    assertThatThrownBy(() -> running.result().join())
        .hasCauseInstanceOf(DrainTimeoutException.class);
    assertThat(scheduler.statistics().failed()).isEqualTo(1);
    assertThat(scheduler.statistics().cancelled()).isZero();
    assertThat(scheduler.failed()).isFalse();
    assertThat(backend.open).isZero();
  }

  @Test
  void keepsStepping_whenCallbackOfResultBlocks() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    CompletableFuture<Void> blocked =
        submit("r-1", 1)
            .result()
            .thenAccept(
                image -> {
                  entered.countDown();
                  await(leave);
                });
    permits.release(PLENTY);
    entered.await();
    submit("r-2", 5);
    steps.acquire(1 + 5);

    assertThat(blocked).isNotDone();
    leave.countDown();
    blocked.get();
  }

  @Test
  void endsEachOnce_whenManyThreadsSubmitAndCancel() throws Exception {
    scheduler.setLimits(new SchedulerLimits(BatchingMode.CONTINUOUS, 4, 6, 5, 2));
    permits.release(PLENTY);
    int threads = 4;
    int each = 250;
    List<Submission> taken = new ArrayList<>();
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Integer>> clients = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int client = t;
      clients.add(CompletableFuture.supplyAsync(() -> offer(client, each, go, taken)));
    }
    go.countDown();
    int refused = 0;
    for (CompletableFuture<Integer> client : clients) {
      refused += client.get();
    }
    assertThat(scheduler.shutdown(Duration.ofMinutes(1))).isTrue();

    SchedulerStatistics end = scheduler.statistics();
    assertThat(taken).hasSize(1000 - refused);
    assertThat(taken).allSatisfy(s -> assertThat(s.result()).isDone());
    assertThat(end.submitted()).isEqualTo(1000);
    assertThat(end.refused()).isEqualTo(refused);
    assertThat(end.done() + end.cancelled()).isEqualTo(taken.size());
    assertThat(taken.stream().filter(s -> s.result().isCompletedExceptionally()).count())
        .isEqualTo(end.cancelled());
    assertThat(end.running() + end.waiting() + end.preempted()).isZero();
  }

  private int offer(int client, int each, CountDownLatch go, List<Submission> taken) {
    int refused = 0;
    await(go);
    for (int i = 0; i < each; i++) {
      String id = client + "-" + i;
      try {
        Submission submission =
            scheduler.submit(
                Requests.request(id, 1 + i % 5, 64 * (1 + i % 2), i % 3, null),
                Requests.recorder(id));
        if (i % 7 == 0) {
          submission.cancel();
        }
        synchronized (taken) {
          taken.add(submission);
        }
      } catch (RefusedException e) {
        refused++;
      }
    }
    return refused;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void namesEnding_whenResultFailed() {
    assertThat(Submission.ending(new CompletionException(new DeadlineException())))
        .isEqualTo(Ending.timeout());
    assertThat(Submission.ending(new CancellationException())).isEqualTo(Ending.cancelled());
    Ending failed = Submission.ending(new CompletionException(new IllegalStateException("x")));
    assertThat(failed.status()).isEqualTo(RequestStatus.ERROR);
    assertThat(failed.error()).isEqualTo("java.lang.IllegalStateException");
  }
}
