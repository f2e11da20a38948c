package io.servedrift.serving.node;

import com.sun.management.OperatingSystemMXBean;
import io.servedrift.serving.generation.ImageRequest;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Asks for images so that always the same number is on its way, and measures a block of them.
 * Requests differ in identity and seed only. For one caller at a time.
 */
final class ImageLoad {

  private static final List<String> PROMPTS =
      List.of("a red circle above a blue square", "two green triangles", "a small yellow star");
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final int concurrency;
  private final int steps;
  private int asked;

  ImageLoad(int concurrency, int steps) {
    this.concurrency = concurrency;
    this.steps = steps;
  }

  /**
   * What a block took.
   *
   * @param latencies seconds of each image, sorted
   * @param seconds from the first request to the last image
   * @param cpuSeconds processor time of the whole process meanwhile, and until what the block left
   *     to do is done
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Block(double[] latencies, double seconds, double cpuSeconds) {
    double imagesPerSecond() {
      return latencies.length / seconds;
    }

    double quantile(double q) {
      return PooledQuantileRatio.quantile(latencies, q);
    }
  }

  /** Waits until what a block left to do is done. */
  @FunctionalInterface
  interface Rest {
    void await() throws InterruptedException;
  }

  /** Makes so many images, which leave nothing to do. */
  Block run(int images, Function<ImageRequest, CompletableFuture<?>> make)
      throws InterruptedException {
    return run(images, make, () -> {});
  }

  /** Makes so many images. */
  Block run(int images, Function<ImageRequest, CompletableFuture<?>> make, Rest rest)
      throws InterruptedException {
    Semaphore places = new Semaphore(concurrency);
    double[] latencies = new double[images];
    AtomicInteger failed = new AtomicInteger();
    long cpu = SYSTEM.getProcessCpuTime();
    long begun = System.nanoTime();
    for (int i = 0; i < images; i++) {
      places.acquire();
      int place = i;
      ImageRequest request = request();
      long asked = System.nanoTime();
      var unused =
          make.apply(request)
              .whenComplete(
                  (image, failure) -> {
                    latencies[place] = (System.nanoTime() - asked) / 1e9;
                    failed.addAndGet(failure == null ? 0 : 1);
                    places.release();
                  });
    }
    places.acquire(concurrency);
    long ended = System.nanoTime();
    rest.await();
    long cpuEnded = SYSTEM.getProcessCpuTime();
    if (failed.get() > 0) {
      throw new IllegalStateException(failed + " of " + images + " images were not made");
    }
    Arrays.sort(latencies);
    return new Block(latencies, (ended - begun) / 1e9, (cpuEnded - cpu) / 1e9);
  }

  private ImageRequest request() {
    int number = asked++;
    return new ImageRequest(
        "r-" + number,
        PROMPTS.get(number % PROMPTS.size()),
        null,
        64,
        64,
        steps,
        3,
        number,
        List.of(),
        0,
        Duration.ofMinutes(5),
        true);
  }
}
