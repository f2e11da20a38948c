package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.BatchSegment;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.serving.fault.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the scheduler does and what it tells the recorders, round by round. */
class StepLoopTest {

  private static SchedulerLimits limits(int batchSize, int running, int preemptions) {
    return new SchedulerLimits(BatchingMode.CONTINUOUS, batchSize, running, 64, preemptions);
  }

  private static void advance(Simulation simulation, int rounds) {
    for (int i = 0; i < rounds; i++) {
      simulation.advance();
    }
  }

  @Test
  void recordsBatch_whenRequestsJoinAndLeave() {
    Simulation simulation = new Simulation(limits(8, 8, 0));
    Job first = simulation.submit("r-1", 4, 64, 0);
    simulation.advance();
    Job second = simulation.submit("r-2", 1, 64, 0);
    simulation.drain();

    assertThat(simulation.event(first).getBatch().getSegments())
        .containsExactly(new BatchSegment(1, 1), new BatchSegment(2, 1), new BatchSegment(1, 2));
    assertThat(simulation.event(first).getBatch().getJoined()).isEqualTo(1);
    assertThat(simulation.event(first).getBatch().getLeft()).isEqualTo(1);
    assertThat(simulation.event(first).getBatch().getNeighbours()).containsExactly("r-2");
    assertThat(simulation.event(second).getBatch().getJoined()).isZero();
    assertThat(simulation.event(second).getBatch().getNeighbours()).containsExactly("r-1");
    assertThat(simulation.event(second).getStageSeconds()).containsEntry("denoise", 0.001);
  }

  @Test
  void recordsQueue_whenRequestIsAdmitted() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    simulation.submit("r-1", 3, 64, 0);
    Job second = simulation.submit("r-2", 1, 64, 5);
    Job third = simulation.submit("r-3", 1, 64, 0);
    simulation.drain();

    // By priority: r-2 at once, then r-1 for 3 ms, then r-3.
    RequestEvent event = simulation.event(third);
    assertThat(event.getQueueSeconds()).isEqualTo(0.004);
    assertThat(event.getBatch().getRunning()).isEqualTo(1);
    assertThat(event.getBatch().getWaiting()).isZero();
    assertThat(simulation.event(second).getBatch().getWaiting()).isEqualTo(2);
    assertThat(simulation.event(second).getScheduling().getPriority()).isEqualTo(5);
    assertThat(simulation.backend.batches)
        .containsExactly(
            List.of("r-2"), List.of("r-1"), List.of("r-1"), List.of("r-1"), List.of("r-3"));
  }

  @Test
  void recordsStalledSteps_whenAnotherKeyRuns() {
    Simulation simulation = new Simulation(limits(8, 8, 0));
    Job small = simulation.submit("small", 2, 64, 0);
    Job large = simulation.submit("large", 2, 128, 0);
    simulation.drain();

    assertThat(simulation.backend.batches)
        .containsExactly(List.of("small"), List.of("large"), List.of("small"), List.of("large"));
    assertThat(simulation.event(small).getScheduling().getStalledSteps()).isEqualTo(1);
    assertThat(simulation.event(large).getScheduling().getStalledSteps()).isEqualTo(2);
    assertThat(simulation.event(small).getBatch().getNeighbours()).isEmpty();
  }

  @Test
  void keepsLatent_whenHigherPriorityTakesThePlace() {
    Simulation simulation = new Simulation(limits(1, 1, 1));
    Job low = simulation.submit("low", 3, 64, 0);
    simulation.advance();
    Job high = simulation.submit("high", 2, 64, 1);
    simulation.drain();

    assertThat(simulation.backend.batches)
        .containsExactly(
            List.of("low"), List.of("high"), List.of("high"), List.of("low"), List.of("low"));
    assertThat(simulation.backend.begun).containsExactly("low", "high");
    RequestEvent event = simulation.event(low);
    assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(event.getScheduling().getPreemptions()).isEqualTo(1);
    assertThat(event.getScheduling().getPreemptedSeconds()).isEqualTo(0.002);
    assertThat(event.getScheduling().getStalledSteps()).isZero();
    assertThat(simulation.event(high).getScheduling().getPreemptions()).isZero();
  }

  @Test
  void preemptsNoMore_whenRequestWasPreemptedOftenEnough() {
    Simulation simulation = new Simulation(limits(1, 1, 1));
    simulation.submit("low", 3, 64, 0);
    simulation.advance();
    simulation.submit("high-1", 1, 64, 1);
    advance(simulation, 2);
    simulation.submit("high-2", 1, 64, 1);
    simulation.drain();

    assertThat(simulation.backend.batches)
        .containsExactly(
            List.of("low"), List.of("high-1"), List.of("low"), List.of("low"), List.of("high-2"));
  }

  @Test
  void preemptsNobody_whenPrioritiesAreEqual() {
    Simulation simulation = new Simulation(limits(1, 1, 2));
    simulation.submit("first", 2, 64, 3);
    simulation.advance();
    simulation.submit("second", 1, 64, 3);
    simulation.drain();

    assertThat(simulation.backend.batches)
        .containsExactly(List.of("first"), List.of("first"), List.of("second"));
    assertThat(simulation.planner.statistics().preemptions()).isZero();
  }

  @Test
  void goesBeforeHigherPriorityAndKeepsItsPlace_whenOverdue() {
    Simulation simulation = new Simulation(limits(1, 1, 2));
    simulation.submit("low", 2, 64, 0);
    for (int i = 0; i < BatchPlanner.MAX_OVERTAKEN; i++) {
      simulation.submit("high-" + i, 1, 64, 1);
      simulation.advance();
    }
    simulation.submit("next", 1, 64, 1);
    simulation.advance();
    simulation.submit("last", 1, 64, 1);
    simulation.drain();

    int overtaken = BatchPlanner.MAX_OVERTAKEN;
    assertThat(simulation.backend.batches.subList(overtaken, overtaken + 4))
        .containsExactly(List.of("low"), List.of("low"), List.of("next"), List.of("last"));
  }

  @Test
  void isNotOvertaken_whenItsOwnBatchIsFull() {
    Simulation simulation = new Simulation(limits(1, 8, 0));
    simulation.submit("runs", 100, 64, 0);
    simulation.advance();
    Job waits = simulation.submit("waits", 1, 64, 0);
    for (int i = 0; i < 2 * BatchPlanner.MAX_OVERTAKEN; i++) {
      simulation.submit("other-" + i, 1, 128, 0);
      advance(simulation, 2);
    }
    assertThat(waits.state).isEqualTo(Job.State.WAITING);
    assertThat(waits.overdue).isFalse();
  }

  @Test
  void endsEverything_whenLoopCannotGoOn() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    Job running = simulation.submit("runs", 9, 64, 0);
    Job waiting = simulation.submit("waits", 9, 64, 0);
    simulation.advance();
    simulation.abandon(new IllegalStateException("broken"));

    assertThat(simulation.event(running).getError()).isEqualTo("java.lang.IllegalStateException");
    assertThat(simulation.event(waiting).getStatus()).isEqualTo(RequestStatus.ERROR);
    assertThat(simulation.backend.open).isZero();
    assertThat(simulation.planner.idle()).isTrue();
  }

  @Test
  void preemptsLowestAndYoungestOfItsKey_whenItsBatchIsFull() {
    Simulation simulation = new Simulation(limits(3, 8, 1));
    simulation.submit("other", 9, 128, -9);
    simulation.submit("a", 9, 64, 0);
    simulation.submit("b", 9, 64, 1);
    simulation.submit("c", 9, 64, 0);
    simulation.advance();
    simulation.submit("high", 9, 64, 2);
    simulation.advance();

    assertThat(simulation.planner.all())
        .filteredOn(job -> job.state == Job.State.PREEMPTED)
        .extracting(job -> job.request.requestId())
        .containsExactly("c");
  }

  @Test
  void preemptsWhatIsTooMuch_whenLimitsAreLowered() {
    Simulation simulation = new Simulation(limits(4, 8, 0));
    for (int i = 0; i < 4; i++) {
      simulation.submit("r-" + i, 2, 64, i);
    }
    simulation.advance();
    simulation.planner.limits(SchedulerLimits.single());
    simulation.drain();

    assertThat(simulation.backend.batches)
        .containsExactly(
            List.of("r-3", "r-2", "r-1", "r-0"),
            List.of("r-3"),
            List.of("r-2"),
            List.of("r-1"),
            List.of("r-0"));
    assertThat(simulation.event(simulation.taken.get(3)).getScheduling().getPreemptions()).isZero();
    assertThat(simulation.event(simulation.taken.get(0)).getScheduling().getPreemptedSeconds())
        .isEqualTo(0.003);
  }

  @Test
  void failsOnlyThisBatch_whenStepFails() {
    Simulation simulation = new Simulation(limits(8, 8, 0));
    simulation.backend.beforeStep =
        ids -> {
          if (ids.contains("bad")) {
            throw new IllegalStateException("no memory");
          }
        };
    Job bad = simulation.submit("bad", 2, 64, 0);
    Job with = simulation.submit("with", 2, 64, 0);
    Job apart = simulation.submit("apart", 2, 128, 0);
    simulation.drain();

    assertThat(simulation.event(bad).getError()).isEqualTo("java.lang.IllegalStateException");
    assertThat(simulation.event(with).getStatus()).isEqualTo(RequestStatus.ERROR);
    assertThat(simulation.event(with).getBatch().getSegments()).isEmpty();
    assertThat(simulation.event(apart).getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(simulation.backend.open).isZero();
  }

  @Test
  void countsDeadlineFromArrival_whenRequestWasLongUnderWay() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    var request = Requests.request("late", 50, 64, 0, Duration.ofMillis(10));
    Job job = simulation.submitAfter(request, Duration.ofMillis(7));
    simulation.drain();

    assertThat(simulation.event(job).getStatus()).isEqualTo(RequestStatus.TIMEOUT);
    assertThat(simulation.event(job).getLatencySeconds()).isEqualTo(0.010);
    assertThat(simulation.backend.batches).hasSize(3);
  }

  @Test
  void neverExpires_whenTimeoutIsBeyondTheTimer() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    Job job =
        simulation.submit(Requests.request("r", 1, 64, 0, Duration.ofSeconds(Long.MAX_VALUE)));
    simulation.drain();

    assertThat(job).isNotNull();
    assertThat(Simulation.ending(job)).isEqualTo("ok");
  }

  @Test
  void forgetsCompany_whenRequestEnds() {
    Simulation simulation = new Simulation(limits(8, 8, 0));
    Job first = simulation.submit("r-1", 2, 64, 0);
    Job second = simulation.submit("r-2", 2, 64, 0);
    simulation.drain();

    assertThat(first.company).isEmpty();
    assertThat(second.company).isEmpty();
    assertThat(second.generation).isNull();
  }

  @Test
  void makesStepsLonger_whenNodeIsSlow() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    simulation.faults.set(Set.of(Fault.SLOW_NODE));
    Job job = simulation.submit("r-1", 2, 64, 0);
    simulation.drain();

    assertThat(simulation.pauses).containsExactly(2_000_000L, 2_000_000L);
    assertThat(simulation.event(job).getStageSeconds()).containsEntry("denoise", 0.006);
  }

  @Test
  void losesTimeToPreemptions_whenSchedulerThrashes() {
    Simulation simulation = new Simulation(limits(1, 1, 0));
    simulation.faults.set(Set.of(Fault.PREEMPTION_THRASH));
    Job job = simulation.submit("r-1", 9, 64, 0);
    simulation.drain();

    RequestEvent event = simulation.event(job);
    assertThat(event.getStatus()).isEqualTo(RequestStatus.OK);
    assertThat(event.getScheduling().getPreemptions()).isEqualTo(2);
    assertThat(event.getScheduling().getPreemptedSeconds()).isEqualTo(0.024);
    assertThat(event.getLatencySeconds()).isEqualTo(0.033);
    assertThat(simulation.backend.begun).containsExactly("r-1");
  }

  @Test
  void preemptsOneAtATime_whenSchedulerThrashesInBatches() {
    Simulation simulation = new Simulation(limits(2, 2, 0));
    simulation.faults.set(Set.of(Fault.PREEMPTION_THRASH));
    Job first = simulation.submit("r-1", 12, 64, 0);
    Job second = simulation.submit("r-2", 12, 64, 0);
    simulation.drain();

    assertThat(simulation.event(first).getScheduling().getPreemptions()).isPositive();
    assertThat(simulation.event(second).getScheduling().getPreemptions()).isPositive();
    assertThat(simulation.stepsBySize(first)).containsKeys(1, 2);
    assertThat(simulation.recordedStepsBySize(first)).isEqualTo(simulation.stepsBySize(first));
  }
}
