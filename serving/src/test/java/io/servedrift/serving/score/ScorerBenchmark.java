package io.servedrift.serving.score;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.serving.engine.TorchRuntime;
import io.servedrift.serving.generation.ImageOutput;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.avro.specific.SpecificRecord;

/**
 * Measures what scoring costs, on one thread.
 *
 * <pre>
 * mvn -q -pl serving -am package -DskipTests
 * java -cp 'serving/target/test-classes:serving/target/classes:serving/target/lib/*' \
 *   io.servedrift.serving.score.ScorerBenchmark serving/models/clip-scenes
 * </pre>
 *
 * <p>Throughput is per second of processor time, which other load on the machine hardly changes;
 * rounds alternate and medians are told.
 */
public final class ScorerBenchmark {

  private static final int ROUNDS = 15;
  private static final long ROUND_NANOS = Duration.ofMillis(300).toNanos();
  private static final int HAND_OVERS = 2_000;
  private static final long PAUSE_NANOS = Duration.ofMillis(4).toNanos();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private final ScorerModel model;
  private final Random random = new Random(7);

  private ScorerBenchmark(ScorerModel model) {
    this.model = model;
  }

  /**
   * Prints the figures.
   *
   * @param args the scorer's directory
   */
  public static void main(String[] args) throws IOException {
    TorchRuntime.start(1);
    try (ScorerModel model = ScorerModel.load(Path.of(args[0]))) {
      ScorerBenchmark benchmark = new ScorerBenchmark(model);
      double alone = benchmark.throughput();
      benchmark.handOver(alone);
    }
  }

  private ImageOutput noise(int side) {
    byte[] rgb = new byte[3 * side * side];
    random.nextBytes(rgb);
    return new ImageOutput(side, side, rgb);
  }

  private List<ScoreInput> inputs(int count, int side, String prompt) {
    List<ScoreInput> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inputs.add(new ScoreInput(prompt, noise(side)));
    }
    return inputs;
  }

  /** Returns the microseconds of one image scored alone. */
  private double throughput() {
    List<List<ScoreInput>> cases =
        List.of(
            inputs(1, 64, "a red circle"),
            inputs(8, 64, "a red circle"),
            inputs(8, 512, "a red circle"));
    double[][] rates = new double[cases.size()][ROUNDS];
    cases.forEach(this::rate);
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < cases.size(); i++) {
        rates[i][round] = rate(cases.get(i));
      }
    }
    double[] medians = Arrays.stream(rates).mapToDouble(ScorerBenchmark::median).toArray();
    OUT.printf("images/s, 64x64, batch 1: %.0f%n", medians[0]);
    OUT.printf(
        "images/s, 64x64, batch 8: %.0f (ratio to batch 1: %.2f)%n",
        medians[1], medians[1] / medians[0]);
    OUT.printf("images/s, 512x512, batch 8: %.0f%n", medians[2]);
    return 1e6 / medians[0];
  }

  private double rate(List<ScoreInput> inputs) {
    long start = THREADS.getCurrentThreadCpuTime();
    long images = 0;
    while (THREADS.getCurrentThreadCpuTime() - start < ROUND_NANOS) {
      images += model.score(inputs).size();
    }
    return images * 1e9 / (THREADS.getCurrentThreadCpuTime() - start);
  }

  private void handOver(double aloneMicros) {
    ImageOutput image = noise(64);
    for (double share : new double[] {1, 0.1}) {
      AsyncScorerSettings settings = AsyncScorerSettings.defaults("bench").withShare(share);
      try (AsyncScorer async = new AsyncScorer(model, new Discard(), settings)) {
        double[] micros = new double[HAND_OVERS];
        for (int run = 0; run < 2; run++) {
          for (int i = 0; i < HAND_OVERS; i++) {
            // The pace of a busy node, so that the worker takes turns with this thread.
            LockSupport.parkNanos(PAUSE_NANOS);
            String requestId = "r-" + run + "-" + i;
            long start = System.nanoTime();
            async.offer(requestId, "a red circle", image);
            micros[i] = (System.nanoTime() - start) / 1e3;
          }
        }
        Arrays.sort(micros);
        OUT.printf(
            "hand-over, share %.1f: p50 %.1f us, p99 %.1f us (p50 is 1/%.0f of scoring), %d dropped%n",
            share,
            micros[HAND_OVERS / 2],
            micros[HAND_OVERS * 99 / 100],
            aloneMicros / micros[HAND_OVERS / 2],
            async.counts().dropped(ScoreDropReason.QUEUE_FULL));
      }
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** A publisher that costs nothing. */
  private static final class Discard implements EventSink {
    @Override
    public boolean offer(SpecificRecord event) {
      return true;
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      return CompletableFuture.completedFuture(new Published("none", 0, 0));
    }
  }
}
