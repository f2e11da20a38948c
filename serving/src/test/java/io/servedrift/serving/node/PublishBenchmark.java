package io.servedrift.serving.node;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.schemas.avro.Workload;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.Observed;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.recorder.ServingIdentity;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Measures what a request's event costs the thread that finishes the request: building it, encoding
 * it and handing it over, against a real broker and against none. Paced, so that the buffer does
 * not fill by itself. Asserts nothing: a figure depends on the machine.
 */
class PublishBenchmark {

  private static final int WARM_UP = 20_000;
  private static final int MEASURED = 20_000;
  private static final int PACE = 50;

  @Test
  void printsWhatPublishingCosts() throws InterruptedException {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    try (EmbeddedBroker broker = EmbeddedBroker.startTemporary()) {
      try (TopicProvisioner provisioner =
          TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        provisioner.apply(topics);
      }
      measure("broker up", broker.bootstrapServers(), topics);
    }
    measure("no broker", "127.0.0.1:1", topics);
  }

  private static void measure(String what, String servers, Topics topics)
      throws InterruptedException {
    PromptHash hash = PromptHash.ofThisProcess();
    try (EventPublisher publisher =
        new EventPublisher(PublisherSettings.defaults(servers), topics)) {
      run(publisher, hash, new long[WARM_UP], new long[WARM_UP]);
      long[] wall = new long[MEASURED];
      long[] cpu = new long[MEASURED];
      run(publisher, hash, wall, cpu);
      System.out.printf(
          "%s: CPU mean %.1f us, p99 %.1f us; wall p50 %.1f us, p99 %.1f us%n",
          what,
          Arrays.stream(cpu).average().orElseThrow() / 1e3,
          quantile(cpu, 0.99),
          quantile(wall, 0.5),
          quantile(wall, 0.99));
    }
  }

  private static double quantile(long[] nanos, double q) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) (q * sorted.length)] / 1e3;
  }

  private static void run(EventPublisher publisher, PromptHash hash, long[] wall, long[] cpu)
      throws InterruptedException {
    ServingIdentity identity =
        new ServingIdentity("image-gen", "n", "c", "m", EnumSet.allOf(Observed.class));
    var threads = ManagementFactory.getThreadMXBean();
    for (int i = 0; i < wall.length; i++) {
      RequestRecorder recorder = filled(identity, "r-" + i, hash);
      long cpuBefore = threads.getCurrentThreadCpuTime();
      long before = System.nanoTime();
      recorder.finish(Ending.ok("stop"), publisher);
      wall[i] = System.nanoTime() - before;
      cpu[i] = threads.getCurrentThreadCpuTime() - cpuBefore;
      if (i % PACE == 0) {
        Thread.sleep(1);
      }
    }
  }

  private static RequestRecorder filled(ServingIdentity identity, String id, PromptHash hash) {
    RequestRecorder recorder = new RequestRecorder(identity, id);
    recorder.workload(
        Workload.newBuilder()
            .setModality("image")
            .setPromptHash(hash.of("a red circle above a blue square"))
            .setWidth(64)
            .setHeight(64)
            .setSteps(16)
            .setSeed(7L)
            .setAdapters(List.of())
            .build());
    recorder.admitted(8, 3);
    for (int step = 0; step < 16; step++) {
      recorder.step(1 + step % 8);
      recorder.denoiseStep(false);
      recorder.neighbourJoined("n-" + step, List.of());
    }
    recorder.conditioningCache(CacheOutcome.HIT);
    recorder.output("0".repeat(64), 4_000);
    return recorder;
  }
}
