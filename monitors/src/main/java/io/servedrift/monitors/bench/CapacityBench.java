package io.servedrift.monitors.bench;

import com.sun.management.OperatingSystemMXBean;
import io.servedrift.monitors.archive.ArchiveCodec;
import io.servedrift.monitors.archive.ArchiveFolder;
import io.servedrift.monitors.archive.ArchivedTraffic;
import io.servedrift.monitors.archive.KafkaArchiver;
import io.servedrift.monitors.archive.Manifest;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ArchiveSource;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.KafkaSource;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.monitors.replay.RecordSource;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.replay.ReplayRange;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the capacity of a machine. The broker has to run in another process: what is measured is
 * the CPU time of this one. Every phase reads the same records; the ratios between phases of one
 * run are the result, the times depend on what else the machine does.
 */
public final class CapacityBench {
  private static final Duration IDLE = Duration.ofMillis(200);
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final Map<String, Object> kafka;
  private final Topics topics;
  private final Path stateDir;
  private final Consumer<String> progress;

  /**
   * One measured phase.
   *
   * @param name what was done to each record
   * @param records records of all topics it read, ticks included
   * @param wallSeconds elapsed time
   * @param cpuSeconds CPU time of this process, all threads
   */
  public record Phase(String name, long records, double wallSeconds, double cpuSeconds) {
    /** CPU seconds per million records. */
    public double cpuSecondsPerMillion() {
      return cpuSeconds / records * 1e6;
    }

    /** Records per second of elapsed time. */
    public double recordsPerSecond() {
      return records / wallSeconds;
    }
  }

  /**
   * @param bootstrapServers a broker that nothing else uses
   * @param stateDir scratch folder
   * @param progress told what is being done, for people
   */
  public CapacityBench(String bootstrapServers, Path stateDir, Consumer<String> progress) {
    this.kafka = Map.of("bootstrap.servers", bootstrapServers);
    this.topics = Topics.forHistory("servedrift-bench");
    this.stateDir = stateDir;
    this.progress = progress;
  }

  /**
   * Fills topics with records of the demo's traffic model and measures each phase; the first of
   * {@code passes} passes warms up, the last is the result.
   *
   * @throws ExecutionException when topics cannot be created
   * @throws TimeoutException when the live topology does not get through within ten minutes
   */
  public List<Phase> run(int records, int passes)
      throws InterruptedException, ExecutionException, TimeoutException {
    BenchTopics written = new BenchTopics(kafka, topics);
    written.create();
    progress.accept("writing " + records + " records");
    written.fill(records);
    List<Phase> phases = List.of();
    for (int pass = 1; pass <= passes; pass++) {
      phases = pass(pass);
    }
    return phases;
  }

  private List<Phase> pass(int pass) throws InterruptedException, TimeoutException {
    List<Phase> phases = new ArrayList<>();
    EventReader reader = new EventReader();
    phases.add(measured(pass, "poll", () -> read(record -> {})));
    phases.add(
        measured(pass, "poll + decode", () -> read(record -> EventCodec.decode(record.value()))));
    phases.add(
        measured(pass, "poll + decode + check", () -> read(record -> reader.read(record.value()))));
    phases.add(measured(pass, "replay", this::replay));
    Path archive = stateDir.resolve("archive-" + pass);
    phases.add(measured(pass, "archive", () -> archive(archive)));
    phases.add(measured(pass, "replay of the archive", () -> replay(archive)));
    AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
    phases.add(
        measured(
            pass,
            "live topology (exactly once)",
            () -> {
              try {
                return live("servedrift-bench-" + pass, phases.get(0).records());
              } catch (InterruptedException | TimeoutException e) {
                failed.set(e);
                return 1;
              }
            }));
    rethrow(failed.get());
    return phases;
  }

  private static void rethrow(@Nullable Exception failure)
      throws InterruptedException, TimeoutException {
    if (failure instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    if (failure instanceof TimeoutException timeout) {
      throw timeout;
    }
  }

  /** Does the work and returns the number of records. */
  private interface Work {
    long run();
  }

  private Phase measured(int pass, String name, Work work) {
    progress.accept("pass " + pass + ": " + name);
    long cpu = SYSTEM.getProcessCpuTime();
    long wall = System.nanoTime();
    long records = work.run();
    return new Phase(
        name, records, (System.nanoTime() - wall) / 1e9, (SYSTEM.getProcessCpuTime() - cpu) / 1e9);
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> config = new HashMap<>(kafka);
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000);
    config.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 131_072);
    config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 * 1024 * 1024);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private long read(Consumer<ConsumerRecord<byte[], byte[]>> work) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> all = new ArrayList<>();
      for (int partition = 0; partition < BenchTopics.PARTITIONS; partition++) {
        all.add(new TopicPartition(topics.requests(), partition));
        all.add(new TopicPartition(topics.scores(), partition));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long expected = consumer.endOffsets(all).values().stream().mapToLong(Long::longValue).sum();
      long seen = 0;
      while (seen < expected) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          work.accept(record);
          seen++;
        }
      }
      return seen;
    }
  }

  private long replay() {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      return replay(new KafkaSource(consumer, topics, PaneSettings.defaults()));
    }
  }

  private long replay(RecordSource source) {
    return new RangeReplay(
            source,
            topics,
            PaneSettings.defaults(),
            new MetricLayouts(),
            Judge.maker(
                Policy.defaults(),
                PaneSettings.defaults(),
                new MetricLayouts(),
                ConfigAxes.UNKNOWN),
            new EventReader(),
            new Tally())
        .run(ReplayRange.of(null, null), Checkpoints.NONE, new Discard())
        .records();
  }

  private long archive(Path folder) {
    Manifest.Range all = new Manifest.Range("bench", topics.prefix(), null, null, null, null);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      return new KafkaArchiver(
              consumer,
              topics,
              new EventReader(),
              PaneSettings.defaults().maxHeld(),
              folder,
              (done, total) -> {},
              () -> false)
          .run(all, null, ArchiveCodec.ZSTD)
          .records();
    } catch (IOException e) {
      throw new UncheckedIOException(folder + ": cannot be written", e);
    }
  }

  private long replay(Path archive) {
    ArchivedTraffic traffic = ArchivedTraffic.of(List.of(ArchiveFolder.open(archive)), bytes -> {});
    try (ArchiveSource source = new ArchiveSource(traffic, PaneSettings.defaults())) {
      return replay(source);
    } catch (IOException e) {
      throw new UncheckedIOException(archive + ": cannot be read", e);
    }
  }

  private long live(String applicationId, long records)
      throws InterruptedException, TimeoutException {
    Tally tally = new Tally();
    MonitorStreams.Options options =
        new MonitorStreams.Options(
            kafka,
            applicationId,
            stateDir.resolve(applicationId).toString(),
            Duration.ZERO,
            Duration.ofSeconds(1),
            1,
            false);
    try (MonitorStreams monitor =
        new MonitorStreams(
            options,
            topics,
            PaneSettings.defaults(),
            new MetricLayouts(),
            Judge.maker(
                Policy.defaults(),
                PaneSettings.defaults(),
                new MetricLayouts(),
                ConfigAxes.UNKNOWN),
            new EventReader(),
            tally,
            Clock.systemUTC())) {
      monitor.start();
      long deadline = System.nanoTime() + Duration.ofMinutes(10).toNanos();
      while (tally.get("requests_read") + tally.get("scores_read") + tally.get("ticks") < records) {
        if (System.nanoTime() > deadline || monitor.failure() != null) {
          throw new TimeoutException(
              "the live topology did not read " + records + " records: " + monitor.state());
        }
        Thread.sleep(IDLE.toMillis());
      }
      return records;
    }
  }

  private static final class Discard implements ReplayCore.Listener {
    @Override
    public void window(WindowSummary window) {}

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {}

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {}
  }
}
