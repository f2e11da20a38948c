package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.serving.fault.Fault;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What holds whatever happens, and in whichever order. */
class SchedulingPropertiesTest {

  private static final Set<Fault> THRASH = EnumSet.of(Fault.PREEMPTION_THRASH, Fault.SLOW_NODE);

  /** One thing that happens; the numbers say to whom and how much. */
  record Happening(What what, int a, int b, int c) {}

  enum What {
    SUBMIT,
    ADVANCE,
    CANCEL,
    PASS_TIME,
    LIMITS,
    FAIL_BEGIN,
    FAIL_STEP,
    FAIL_DECODE,
    FAULTS
  }

  @Provide
  Arbitrary<List<Happening>> happenings() {
    Arbitrary<What> what =
        Arbitraries.frequency(
            Tuple.of(12, What.SUBMIT),
            Tuple.of(20, What.ADVANCE),
            Tuple.of(2, What.CANCEL),
            Tuple.of(2, What.PASS_TIME),
            Tuple.of(1, What.LIMITS),
            Tuple.of(1, What.FAIL_BEGIN),
            Tuple.of(1, What.FAIL_STEP),
            Tuple.of(1, What.FAIL_DECODE),
            Tuple.of(1, What.FAULTS));
    Arbitrary<Integer> number = Arbitraries.integers().between(0, 1_000);
    return Combinators.combine(what, number, number, number)
        .as(Happening::new)
        .list()
        .ofMaxSize(200);
  }

  @Provide
  Arbitrary<SchedulerLimits> limits() {
    return Combinators.combine(
            Arbitraries.of(BatchingMode.class),
            Arbitraries.integers().between(1, 5),
            Arbitraries.integers().between(1, 8),
            Arbitraries.integers().between(1, 12),
            Arbitraries.integers().between(0, 3))
        .as(SchedulerLimits::new);
  }

  @Property(tries = 500)
  void endsEachRequestOnceAndTellsTheTruth_whateverHappens(
      @ForAll("limits") SchedulerLimits limits, @ForAll("happenings") List<Happening> happenings) {
    Run run = new Run(limits);
    for (Happening happening : happenings) {
      run.happen(happening);
      run.checkNow();
    }
    run.simulation.drain();
    run.checkNow();
    run.checkEnd();
  }

  /** A simulation with what must hold in it. */
  private static final class Run {
    final Simulation simulation;
    private final Set<Job> cancelled = new HashSet<>();
    private int submitted;
    private int refused;
    private boolean failNextStep;
    private int largestBatch;

    Run(SchedulerLimits limits) {
      simulation = new Simulation(limits);
      var clock = simulation.backend.beforeStep;
      simulation.backend.beforeStep =
          ids -> {
            clock.accept(ids);
            largestBatch = Math.max(largestBatch, ids.size());
            if (failNextStep) {
              failNextStep = false;
              throw new IllegalStateException("this step fails");
            }
          };
    }

    void happen(Happening it) {
      switch (it.what) {
        case SUBMIT -> submit(it);
        case ADVANCE -> {
          largestBatch = 0;
          simulation.advance();
          assertThat(largestBatch).isLessThanOrEqualTo(simulation.planner.limits().batchSize());
        }
        case CANCEL -> {
          if (!simulation.taken.isEmpty()) {
            Job job = simulation.taken.get(it.a % simulation.taken.size());
            simulation.planner.giveUp(job, new CancellationException());
            cancelled.add(job);
          }
        }
        case PASS_TIME -> simulation.pass(Duration.ofMillis(it.a % 20));
        case LIMITS ->
            simulation.planner.limits(
                new SchedulerLimits(
                    it.a % 4 == 0 ? BatchingMode.SINGLE : BatchingMode.CONTINUOUS,
                    1 + it.a % 5,
                    1 + it.b % 8,
                    1 + it.c % 12,
                    it.c % 4));
        case FAIL_BEGIN -> simulation.backend.failBegin.add("r-" + (submitted + 1));
        case FAIL_DECODE -> simulation.backend.failDecode.add("r-" + (submitted + 1));
        case FAIL_STEP -> failNextStep = true;
        case FAULTS -> simulation.faults.set(it.a % 2 == 0 ? THRASH : Set.of());
      }
    }

    private void submit(Happening it) {
      submitted++;
      Duration timeout = it.c % 3 == 0 ? Duration.ofMillis(it.c % 40) : null;
      Job job =
          simulation.submit(
              Requests.request(
                  "r-" + submitted, 1 + it.a % 6, 64 * (1 + it.b % 3), it.b % 4, timeout));
      refused += job == null ? 1 : 0;
    }

    void checkNow() {
      SchedulerStatistics now = simulation.planner.statistics();
      assertThat(now.submitted()).isEqualTo(submitted);
      assertThat(now.refused()).isEqualTo(refused);
      assertThat(
              now.refused()
                  + now.done()
                  + now.failed()
                  + now.cancelled()
                  + now.timedOut()
                  + now.running()
                  + now.preempted()
                  + now.waiting())
          .isEqualTo(now.submitted());
      assertThat(simulation.backend.open).isEqualTo(now.running() + now.preempted());
    }

    void checkEnd() {
      SchedulerStatistics end = simulation.planner.statistics();
      assertThat(simulation.backend.violations).isEmpty();
      assertThat(simulation.backend.open).isZero();
      assertThat(simulation.completions()).isEqualTo(submitted - refused);
      assertThat(count("ok")).isEqualTo(end.done());
      assertThat(count("error")).isEqualTo(end.failed());
      assertThat(count("cancelled")).isEqualTo(end.cancelled());
      assertThat(count("timeout")).isEqualTo(end.timedOut());
      assertThat(end.steps()).isEqualTo(simulation.backend.batches.size());
      assertThat(end.sampleSteps())
          .isEqualTo(simulation.backend.batches.stream().mapToLong(List::size).sum());
      simulation.taken.forEach(this::checkEnded);
    }

    private void checkEnded(Job job) {
      var event = simulation.event(job);
      int steps = simulation.stepsBySize(job).values().stream().mapToInt(n -> n).sum();
      assertThat(simulation.recordedStepsBySize(job)).isEqualTo(simulation.stepsBySize(job));
      assertThat(event.getScheduling().getPreemptions()).isEqualTo(job.preemptions);
      checkNeighbours(job, event.getBatch());
      if (event.getStatus() == RequestStatus.OK) {
        assertThat(steps).isEqualTo(job.request.steps());
      }
      if (event.getStatus() == RequestStatus.CANCELLED) {
        assertThat(cancelled).contains(job);
      }
    }

    private void checkNeighbours(Job job, BatchComposition recorded) {
      String id = job.request.requestId();
      Set<String> seen = new HashSet<>();
      Set<String> before = Set.of();
      int joined = 0;
      int left = 0;
      for (List<String> batch : simulation.backend.batches) {
        if (batch.contains(id)) {
          Set<String> now = new HashSet<>(batch);
          joined += before.isEmpty() ? 0 : minus(now, before);
          left += minus(before, now);
          seen.addAll(now);
          before = now;
        }
      }
      seen.remove(id);
      assertThat(recorded.getNeighbours()).containsExactlyInAnyOrderElementsOf(seen);
      assertThat(recorded.getJoined()).isEqualTo(joined);
      assertThat(recorded.getLeft()).isEqualTo(left);
    }

    private static int minus(Set<String> all, Set<String> some) {
      return (int) all.stream().filter(id -> !some.contains(id)).count();
    }

    private long count(String ending) {
      return simulation.taken.stream().filter(j -> Simulation.ending(j).equals(ending)).count();
    }
  }

  @Property(tries = 500)
  void leavesNoPlaceFreeAndNoLowerPriorityBefore_afterAdmission(
      @ForAll("limits") SchedulerLimits limits, @ForAll("happenings") List<Happening> happenings) {
    BatchPlanner planner = new BatchPlanner(limits);
    for (Happening it : happenings) {
      List<Job> all = planner.all();
      switch (it.what) {
        case SUBMIT -> {
          var request = Requests.request("r", 1, 64 * (1 + it.b % 3), it.a % 4, null);
          planner.offer(new Job(request, Requests.recorder("r"), 0));
        }
        case CANCEL, FAIL_DECODE -> {
          if (!all.isEmpty()) {
            planner.end(all.get(it.a % all.size()), Outcome.DONE);
          }
        }
        case LIMITS ->
            planner.limits(
                new SchedulerLimits(
                    BatchingMode.CONTINUOUS, 1 + it.a % 5, 1 + it.b % 8, 12, it.c % 4));
        default -> {
          Admission admission = planner.admit(0);
          checkAdmitted(planner, admission);
          Set<Job> batch = new HashSet<>(planner.nextStep().batch());
          assertThat(batch).allSatisfy(job -> assertThat(job.state).isEqualTo(Job.State.RUNNING));
        }
      }
    }
  }

  private static void checkAdmitted(BatchPlanner planner, Admission admission) {
    SchedulerLimits limits = planner.limits();
    List<Job> running =
        planner.all().stream().filter(job -> job.state == Job.State.RUNNING).toList();
    int parked = planner.statistics().preempted() + admission.resumed.size();
    assertThat(running).hasSizeLessThanOrEqualTo(limits.running()).hasSize(admission.running);
    for (Job waiting : planner.all()) {
      if (waiting.state == Job.State.RUNNING) {
        continue;
      }
      List<Job> sameKey = running.stream().filter(r -> r.key.equals(waiting.key)).toList();
      boolean keyFull = sameKey.size() >= limits.batchSize();
      assertThat(keyFull || running.size() == limits.running()).isTrue();
      if (parked < limits.running()) {
        assertThat(keyFull ? sameKey : running)
            .noneMatch(
                r ->
                    r.priority() < waiting.priority()
                        && !r.overdue
                        && r.preemptions < limits.preemptions());
      }
    }
  }

  @Property(tries = 200)
  void stepsBatchesInTurn_whenPrioritiesAreEqual(
      @ForAll @IntRange(min = 1, max = 6) int keys, @ForAll @IntRange(min = 1, max = 3) int each) {
    Simulation simulation =
        new Simulation(new SchedulerLimits(BatchingMode.CONTINUOUS, each, 32, 64, 0));
    for (int i = 0; i < keys * each; i++) {
      simulation.submit("r-" + i, 10, 64 * (1 + i % keys), 0);
    }
    simulation.drain();

    List<List<String>> batches = simulation.backend.batches;
    assertThat(batches).hasSize(10 * keys).allSatisfy(b -> assertThat(b).hasSize(each));
    for (int from = 0; from < batches.size(); from += keys) {
      assertThat(batches.subList(from, from + keys)).doesNotHaveDuplicates();
    }
  }

  @Property(tries = 200)
  void passesNoBatchByForEver_whenPrioritiesDiffer(
      @ForAll @Size(min = 2, max = 6) List<@IntRange(min = -5, max = 5) Integer> priorities) {
    Simulation simulation =
        new Simulation(new SchedulerLimits(BatchingMode.CONTINUOUS, 1, 32, 64, 0));
    int keys = priorities.size();
    for (int i = 0; i < keys; i++) {
      simulation.submit("r-" + i, 1_000, 64 * (1 + i), priorities.get(i));
    }
    int bound = RunningBatches.PATIENCE * (keys - 1) + keys;
    for (int round = 0; round < 4 * bound; round++) {
      simulation.advance();
    }
    List<List<String>> batches = simulation.backend.batches;
    for (int from = 0; from + bound <= batches.size(); from++) {
      assertThat(new HashSet<>(batches.subList(from, from + bound))).hasSize(keys);
    }
  }

  @Property(tries = 200)
  void finishesLoneLowPriorityRequest_whenOthersNeverStopComing(
      @ForAll @IntRange(min = 1, max = 4) int batchSize,
      @ForAll @IntRange(min = 1, max = 8) int maxRunning,
      @ForAll @IntRange(min = 1, max = 6) int steps,
      @ForAll @IntRange(min = 1, max = 3) int otherKeys,
      @ForAll @IntRange(min = 0, max = 2) int preemptions) {
    Simulation simulation =
        new Simulation(
            new SchedulerLimits(BatchingMode.CONTINUOUS, batchSize, maxRunning, 40, preemptions));
    Job lone = simulation.submit("lone", steps, 64, -1);
    int keys = otherKeys + 1;
    int stepsBetween = (RunningBatches.PATIENCE + 1) * keys;
    int bound = (BatchPlanner.MAX_OVERTAKEN + 2) * steps * stepsBetween;
    int others = 0;
    for (int round = 0; !lone.result.isDone(); round++) {
      assertThat(round).describedAs("rounds until the lone request ends").isLessThan(bound);
      for (int i = 0; i < 4; i++) {
        others++;
        simulation.submit(
            Requests.request(
                "o-" + others, steps, 128 + 64 * (others % otherKeys), others % 3, null));
      }
      simulation.advance();
    }
    assertThat(Simulation.ending(lone)).isEqualTo("ok");
  }
}
