package io.servedrift.serving.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.engine.TorchBackend;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What the scheduler costs and gives, in figures printed for the README. Runs only when it is named
 * ({@code -Dtest=SchedulerBenchmark}); asserts nothing about time. The time is CPU time of the
 * thread that steps, PyTorch on one thread, so that other load on the machine moves little.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchedulerBenchmark {

  private static final int BATCH = 8;
  private static final int STEPS = 20;
  private static final int IMAGES = 32;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final ImageOutput NO_IMAGE = new ImageOutput(0, 0, new byte[0]);

  private TorchBackend engine;

  @BeforeAll
  void load() throws Exception {
    engine = TorchBackend.load(EngineSettings.defaults(Path.of("models/scenes")), Faults.none());
  }

  @AfterAll
  void close() {
    engine.close();
  }

  @Test
  void overheadPerStep() {
    double call = denoiserCallMicros();
    for (int waiting : new int[] {8, 56}) {
      double overhead = overheadMicros(waiting);
      print(
          "batch 8, %d waiting: scheduler %.1f us a step, denoiser call %.0f us, ratio %.2f %%",
          waiting, overhead, call, 100 * overhead / call);
    }
  }

  @Test
  void stagesOfRequest() {
    Generation generation = engine.begin(request("warm", 1), Requests.recorder("warm"));
    engine.step(List.of(generation));
    double begin = median(60, () -> timed(() -> begin("same").close()));
    double decode = median(60, () -> timed(() -> engine.decode(generation)));
    generation.close();
    print("begin with cached conditioning %.0f us, decode %.0f us", begin, decode);
  }

  @Test
  void throughput() {
    SchedulerLimits single = SchedulerLimits.single();
    SchedulerLimits continuous = SchedulerLimits.continuous();
    imagesPerSecond(continuous);
    // In turn, so that what disturbs one disturbs the other.
    double[] one = new double[3];
    double[] many = new double[3];
    for (int round = 0; round < one.length; round++) {
      one[round] = imagesPerSecond(single);
      many[round] = imagesPerSecond(continuous);
    }
    Arrays.sort(one);
    Arrays.sort(many);
    print(
        "%d images of %d steps: single %.1f images/CPU s, continuous 8 %.1f images/CPU s, ratio %.2f",
        IMAGES, STEPS, one[1], many[1], many[1] / one[1]);
  }

  private double imagesPerSecond(SchedulerLimits limits) {
    BatchPlanner planner =
        new BatchPlanner(
            new SchedulerLimits(limits.mode(), limits.maxBatchSize(), BATCH, IMAGES, 0));
    StepLoop loop = loop(engine, planner);
    for (int i = 0; i < IMAGES; i++) {
      offer(planner, "r-" + i);
    }
    double seconds =
        timed(
                () -> {
                  while (!planner.idle()) {
                    loop.advance();
                  }
                })
            / 1e9;
    assertThat(planner.statistics().done()).isEqualTo(IMAGES);
    return IMAGES / seconds;
  }

  private double denoiserCallMicros() {
    List<Generation> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      batch.add(engine.begin(request("d-" + i, 100), Requests.recorder("d-" + i)));
    }
    for (int i = 0; i < 20; i++) {
      engine.step(batch);
    }
    double micros = median(60, () -> timed(() -> engine.step(batch)));
    batch.forEach(Generation::close);
    return micros;
  }

  /** A round with a backend that does nothing, requests of 20 steps coming and going. */
  private static double overheadMicros(int waiting) {
    SchedulerLimits limits = new SchedulerLimits(BatchingMode.CONTINUOUS, BATCH, BATCH, waiting, 2);
    BatchPlanner planner = new BatchPlanner(limits);
    StepLoop loop = loop(new NullBackend(), planner);
    int rounds = 1_000;
    return median(
        15,
        () -> {
          long spent = 0;
          for (int i = 0; i < rounds; i++) {
            refill(planner, waiting);
            spent += timed(loop::advance);
          }
          return spent / rounds;
        });
  }

  private static void refill(BatchPlanner planner, int waiting) {
    while (planner.statistics().waiting() < waiting) {
      offer(planner, "r-" + planner.statistics().submitted());
    }
  }

  private static void offer(BatchPlanner planner, String id) {
    planner.offer(new Job(request(id, STEPS), Requests.recorder(id), System.nanoTime()));
  }

  private static StepLoop loop(DiffusionBackend backend, BatchPlanner planner) {
    SchedulerFaults faults = new SchedulerFaults(Faults.none(), nanos -> {});
    return new StepLoop(backend, planner, faults, Runnable::run, System::nanoTime);
  }

  private Generation begin(String id) {
    return engine.begin(request(id, STEPS), Requests.recorder(id));
  }

  private static ImageRequest request(String id, int steps) {
    return Requests.request(id, steps, 64, 0, Duration.ofMinutes(10));
  }

  private static long timed(Runnable what) {
    long start = THREADS.getCurrentThreadCpuTime();
    what.run();
    return THREADS.getCurrentThreadCpuTime() - start;
  }

  private static double median(int times, LongSupplier nanos) {
    long[] all = new long[times];
    for (int i = 0; i < times; i++) {
      all[i] = nanos.getAsLong();
    }
    Arrays.sort(all);
    return all[times / 2] / 1e3;
  }

  private static void print(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }

  /** Does nothing, in no time. */
  private static final class NullBackend implements DiffusionBackend {
    @Override
    public Generation begin(ImageRequest request, RequestRecorder recorder) {
      return new Countdown(request);
    }

    @Override
    public void step(List<Generation> batch) {
      batch.forEach(generation -> ((Countdown) generation).remaining--);
    }

    @Override
    public ImageOutput decode(Generation generation) {
      return NO_IMAGE;
    }

    @Override
    public void close() {}
  }

  private static final class Countdown implements Generation {
    private final ImageRequest request;
    private int remaining;

    Countdown(ImageRequest request) {
      this.request = request;
      this.remaining = request.steps();
    }

    @Override
    public ImageRequest request() {
      return request;
    }

    @Override
    public int remainingSteps() {
      return remaining;
    }

    @Override
    public void close() {}
  }
}
