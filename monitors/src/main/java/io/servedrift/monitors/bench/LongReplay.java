package io.servedrift.monitors.bench;

import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.replay.KafkaSource;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.Topics;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Replays many records once, to see whether memory stays flat and what a record costs beside plain
 * polling and decoding of the same records in the same run. The broker has to run in another
 * process: what is measured is the CPU time and the heap of this one.
 */
public final class LongReplay {
  private static final int SAMPLES = 10;

  private final Map<String, Object> kafka;
  private final Topics topics;
  private final Consumer<String> progress;

  /**
   * What is alive after a full collection.
   *
   * @param records replayed so far, ticks included
   * @param bytes of live objects
   */
  public record Heap(long records, long bytes) {}

  /**
   * What was measured; collections for the heap are in no phase.
   *
   * @param phases poll, poll and decode, replay
   * @param heap while replaying, at ten points
   */
  public record Result(List<Phase> phases, List<Heap> heap) {
    /** Copies the lists. */
    public Result {
      phases = List.copyOf(phases);
      heap = List.copyOf(heap);
    }
  }

  /**
   * @param bootstrapServers a broker that nothing else uses
   * @param progress told what is being done, for people
   */
  public LongReplay(String bootstrapServers, Consumer<String> progress) {
    this.kafka = Map.of("bootstrap.servers", bootstrapServers);
    this.topics = Topics.forHistory("servedrift-bench");
    this.progress = progress;
  }

  /**
   * Fills topics with requests and scores of the demo's traffic model and measures.
   *
   * @throws ExecutionException when topics cannot be created
   */
  public Result run(int records) throws InterruptedException, ExecutionException {
    BenchTopics written = new BenchTopics(kafka, topics);
    written.create();
    progress.accept("writing " + records + " records");
    written.fill(records);
    BenchInput input = new BenchInput(kafka, topics);
    List<Phase> phases = new ArrayList<>();
    progress.accept("poll");
    Stopwatch poll = new Stopwatch();
    phases.add(poll.phase("poll", input.read(record -> {})));
    progress.accept(Phase.DECODE);
    Stopwatch decode = new Stopwatch();
    phases.add(decode.phase(Phase.DECODE, input.read(record -> EventCodec.decode(record.value()))));
    progress.accept("replay");
    List<Heap> heap = new ArrayList<>();
    phases.add(replay(input, phases.get(0).records(), heap));
    return new Result(phases, heap);
  }

  private Phase replay(BenchInput input, long expected, List<Heap> heap) {
    try (KafkaConsumer<byte[], byte[]> consumer = input.consumer()) {
      Stopwatch watch = new Stopwatch();
      long records =
          new BenchReplay(topics)
              .progress(
                  (done, total) -> {
                    if (done * SAMPLES >= expected * (heap.size() + 1)) {
                      watch.without(() -> heap.add(new Heap(done, liveBytes())));
                    }
                  })
              .run(new KafkaSource(consumer, topics, PaneSettings.defaults()));
      return watch.phase("replay", records);
    }
  }

  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
