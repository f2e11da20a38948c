package io.servedrift.serving.node;

import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.schemas.PromptHash;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Workload;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.Observed;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.recorder.ServingIdentity;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Measures what the event of a request costs the threads that serve it, part by part: what is
 * written down of the call (with the keyed hash of its prompt), building the event at the end, and
 * handing it over; with a broker in a process of its own, with none, and with a full buffer. Paced,
 * so that caches are as cold as between two images and nothing fills by itself. Runs only when it
 * is named; asserts nothing: a figure depends on the machine.
 */
class PublishBenchmark {

  private static final int WARM_UP = 15_000;
  private static final int MEASURED = 20_000;
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
  private static final String NO_BROKER = "127.0.0.1:1";
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final PromptHash hash = PromptHashKey.ofThisProcess();
  private final ServingIdentity identity =
      new ServingIdentity("image-gen", "n", "c", "m", EnumSet.allOf(Observed.class));

  @Test
  void printsWhatPublishingCosts() throws Exception {
    measure("no broker", PublisherSettings.defaults(NO_BROKER));
    measure(
        "buffer full",
        new PublisherSettings(
            64 * 1024,
            64 * 1024,
            PublisherSettings.defaults(NO_BROKER).deliveryTimeout(),
            PublisherSettings.defaults(NO_BROKER).closeTimeout(),
            PublisherSettings.defaults(NO_BROKER).kafka()));
    try (BrokerProcess broker = BrokerProcess.start()) {
      measure("broker up", PublisherSettings.defaults(broker.bootstrapServers()));
    }
  }

  private void measure(String what, PublisherSettings settings) {
    try (EventPublisher publisher =
        new EventPublisher(settings.withCloseTimeout(Duration.ZERO), TOPICS)) {
      run(publisher, new Times(WARM_UP));
      Times times = new Times(MEASURED);
      run(publisher, times);
      System.out.printf(
          Locale.ROOT,
          "%s, %d requests, %d events dropped; CPU of all parts %.1f us in the mean%n",
          what,
          MEASURED,
          publisher.metrics().dropped(),
          Arrays.stream(times.cpu).average().orElseThrow() / 1e3);
      print("  writing the call down", times.described);
      print("  building the event", times.built);
      print("  handing it over", times.handedOver);
      print("  all of it", times.all());
    }
  }

  private static void print(String what, long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    System.out.printf(
        Locale.ROOT,
        "%-26s p50 %6.1f us  p99 %6.1f us  p99.9 %7.1f us%n",
        what,
        quantile(sorted, 0.5),
        quantile(sorted, 0.99),
        quantile(sorted, 0.999));
  }

  private static double quantile(long[] sorted, double q) {
    return sorted[(int) (q * sorted.length)] / 1e3;
  }

  /** Nanoseconds of each part of each request. */
  private static final class Times {
    private final long[] described;
    private final long[] built;
    private final long[] handedOver;
    private final long[] cpu;

    Times(int requests) {
      described = new long[requests];
      built = new long[requests];
      handedOver = new long[requests];
      cpu = new long[requests];
    }

    long[] all() {
      long[] sum = new long[built.length];
      Arrays.setAll(sum, i -> described[i] + built[i] + handedOver[i]);
      return sum;
    }
  }

  private void run(EventPublisher publisher, Times times) {
    for (int i = 0; i < times.built.length; i++) {
      long cpuBefore = THREADS.getCurrentThreadCpuTime();
      long called = System.nanoTime();
      RequestRecorder recorder = new RequestRecorder(identity, "r-" + i);
      recorder.workload(workload());
      times.described[i] = System.nanoTime() - called;
      long cpuOfCall = THREADS.getCurrentThreadCpuTime() - cpuBefore;
      generate(recorder);
      cpuBefore = THREADS.getCurrentThreadCpuTime();
      long ended = System.nanoTime();
      RequestEvent event = recorder.finish(Ending.ok("stop")).orElseThrow();
      long complete = System.nanoTime();
      publisher.offer(event);
      times.handedOver[i] = System.nanoTime() - complete;
      times.built[i] = complete - ended;
      times.cpu[i] = cpuOfCall + THREADS.getCurrentThreadCpuTime() - cpuBefore;
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private Workload workload() {
    return Workload.newBuilder()
        .setModality("image")
        .setPromptHash(hash.of("a red circle above a blue square"))
        .setWidth(64)
        .setHeight(64)
        .setSteps(16)
        .setSeed(7L)
        .setAdapters(List.of())
        .build();
  }

  /** What the scheduler and the engine tell, whose threads are others. */
  private static void generate(RequestRecorder recorder) {
    recorder.admitted(8, 3);
    for (int step = 0; step < 16; step++) {
      recorder.step(1 + step % 8);
      recorder.denoiseStep(false);
      recorder.neighbourJoined("n-" + step, List.of());
    }
    recorder.conditioningCache(CacheOutcome.HIT);
    recorder.output("0".repeat(64), 4_000);
  }
}
