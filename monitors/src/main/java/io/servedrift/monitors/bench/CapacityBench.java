package io.servedrift.monitors.bench;

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
import io.servedrift.monitors.replay.KafkaSource;
import io.servedrift.monitors.topology.MonitorStreams;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the capacity of a machine. The broker has to run in another process: what is measured is
 * the CPU time of this one. Every phase reads the same records; the ratios between phases of one
 * run are the result, the times depend on what else the machine does.
 */
public final class CapacityBench {
  private static final Duration IDLE = Duration.ofMillis(200);

  private final Map<String, Object> kafka;
  private final Topics topics;
  private final Path stateDir;
  private final Consumer<String> progress;

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
    BenchInput input = new BenchInput(kafka, topics);
    phases.add(measured(pass, "poll", () -> input.read(record -> {})));
    phases.add(
        measured(
            pass, Phase.DECODE, () -> input.read(record -> EventCodec.decode(record.value()))));
    phases.add(
        measured(
            pass,
            "poll + decode + check",
            () -> input.read(record -> reader.read(record.value()))));
    BenchReplay replay = new BenchReplay(topics);
    phases.add(measured(pass, "replay", () -> replay(input, replay)));
    Path archive = stateDir.resolve("archive-" + pass);
    phases.add(measured(pass, "archive", () -> archive(input, archive)));
    phases.add(measured(pass, "replay of the archive", () -> replay(archive)));
    AtomicReference<@Nullable Exception> failed = new AtomicReference<>();
    phases.add(
        measured(
            pass,
            "live topology (exactly once)",
            () -> {
              try {
                live("servedrift-bench-" + pass, replay.panes());
                return phases.get(0).records();
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
    Stopwatch watch = new Stopwatch();
    return watch.phase(name, work.run());
  }

  private long replay(BenchInput input, BenchReplay replay) {
    try (KafkaConsumer<byte[], byte[]> consumer = input.consumer()) {
      return replay.run(new KafkaSource(consumer, topics, PaneSettings.defaults()));
    }
  }

  private long archive(BenchInput input, Path folder) {
    Manifest.Range all = new Manifest.Range("bench", topics.prefix(), null, null, null, null);
    try (KafkaConsumer<byte[], byte[]> consumer = input.consumer()) {
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
      return new BenchReplay(topics).run(source);
    } catch (IOException e) {
      throw new UncheckedIOException(archive + ": cannot be read", e);
    }
  }

  /** Until as many panes have been judged as a replay has. */
  private void live(String applicationId, long panes)
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
      while (tally.get("panes_merged") < panes) {
        if (System.nanoTime() > deadline || monitor.failure() != null) {
          throw new TimeoutException(
              "the live topology did not merge " + panes + " panes: " + monitor.state());
        }
        Thread.sleep(IDLE.toMillis());
      }
    }
  }
}
