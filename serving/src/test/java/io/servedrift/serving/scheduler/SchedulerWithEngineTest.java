package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.engine.TorchBackend;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.ImageRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The scheduler on the real engine, with a pipeline of random weights. */
class SchedulerWithEngineTest {

  private TorchBackend engine;

  @BeforeEach
  void load() throws Exception {
    Path model = Path.of("src/test/resources/pipeline-random");
    engine = TorchBackend.load(EngineSettings.defaults(model), Faults.none());
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static ImageRequest request(int seed, int steps) {
    return new ImageRequest(
        "r-" + seed, "a red circle", null, 32, 32, steps, 3, seed, List.of(), 0, null, true);
  }

  private byte[] alone(ImageRequest request) throws Exception {
    try (BatchScheduler scheduler =
        BatchScheduler.start(engine, SchedulerLimits.single(), Faults.none())) {
      return scheduler.submit(request, Requests.recorder("alone")).result().get().rgb();
    }
  }

  /** In fp32 a batch's arithmetic differs in the last bits, which may round to the next level. */
  @Test
  void makesSameImagesAsAlone_whenRequestsShareBatches() throws Exception {
    BatchPlanner planner = new BatchPlanner(SchedulerLimits.continuous());
    SchedulerFaults faults = new SchedulerFaults(Faults.none(), nanos -> {});
    StepLoop loop = new StepLoop(engine, planner, faults, Runnable::run, System::nanoTime);
    List<Job> jobs = new ArrayList<>();
    for (int seed = 1; seed <= 12; seed++) {
      Job job = new Job(request(seed, 2 + seed % 4), Requests.recorder("r-" + seed), 0);
      assertThat(planner.offer(job)).isEqualTo(BatchPlanner.Offer.TAKEN);
      jobs.add(job);
    }
    while (!planner.idle()) {
      loop.advance();
    }
    assertThat(planner.statistics().sampleSteps()).isEqualTo(42);
    assertThat(planner.statistics().steps()).isLessThan(10);
    for (int seed = 1; seed <= 12; seed++) {
      byte[] together = jobs.get(seed - 1).result.get().rgb();
      assertThat(levelsApart(together, alone(request(seed, 2 + seed % 4)))).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void makesSameBytes_whenPreemptedAndResumed() throws Exception {
    byte[] undisturbed = alone(request(5, 12));
    Faults thrash = new Faults(Set.of(Fault.PREEMPTION_THRASH));
    try (BatchScheduler scheduler =
        BatchScheduler.start(engine, SchedulerLimits.single(), thrash)) {
      Submission submission = scheduler.submit(request(5, 12), Requests.recorder("r-5"));

      assertThat(submission.result().get().rgb()).isEqualTo(undisturbed);
      assertThat(scheduler.statistics().preemptions()).isEqualTo(2);
    }
  }

  @Test
  void failsOnlyTheRequest_whenPipelineCannotMakeIt() throws Exception {
    ImageRequest huge = Requests.request("huge", 2, 4096, 0, null);
    try (BatchScheduler scheduler =
        BatchScheduler.start(engine, SchedulerLimits.continuous(), Faults.none())) {
      Submission bad = scheduler.submit(huge, Requests.recorder("huge"));
      Submission good = scheduler.submit(request(1, 2), Requests.recorder("r-1"));

      assertThat(bad.result())
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IllegalArgumentException.class);
      assertThat(good.result().get().width()).isEqualTo(32);
    }
  }

  private static int levelsApart(byte[] one, byte[] other) {
    assertThat(one).hasSameSizeAs(other);
    int most = 0;
    for (int i = 0; i < one.length; i++) {
      most = Math.max(most, Math.abs((one[i] & 0xff) - (other[i] & 0xff)));
    }
    return most;
  }
}
