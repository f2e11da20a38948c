package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.monitors.replay.KafkaReplay;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The property the design protects: the same events give the same windows, bit for bit, through the
 * live topology on a real broker, through a replay of its topics, without Kafka at all, and through
 * processes that are killed.
 */
class LiveReplayEqualityIT {
  private static final int PARTITIONS = 4;
  private static final PaneSettings SETTINGS = PaneSettings.defaults();
  private static final List<SpecificRecord> TRAFFIC =
      TestEvents.traffic(20260301, Duration.ofMinutes(40), 20);

  private static EmbeddedBroker broker;
  private static LiveTopics live;
  private static List<String> expected;

  @TempDir Path dir;

  @BeforeAll
  static void fillTopics() throws Exception {
    broker = EmbeddedBroker.startTemporary();
    live = new LiveTopics(broker.bootstrapServers());
    live.create(PARTITIONS);
    live.fill(TRAFFIC, PARTITIONS);
    expected = withoutKafka();
    assertThat(expected).hasSizeGreaterThan(100);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** The core alone on one partition, ticks as on the topics. */
  private static List<String> withoutKafka() {
    Collected out = new Collected();
    ReplayCore core =
        new ReplayCore(
            1,
            1,
            SETTINGS,
            new MetricLayouts(),
            findings -> new Judge(findings::accept),
            out,
            new Tally());
    Instant tick = TestEvents.START;
    for (SpecificRecord event : TRAFFIC) {
      for (; tick.isBefore(EventTimes.of(event)); tick = tick.plusSeconds(1)) {
        tick(core, tick);
      }
      Channel channel = event instanceof ScoreEvent ? Channel.SCORES : Channel.REQUESTS;
      core.accept(0, channel, event, "memory", null);
    }
    tick(core, tick.plus(LiveTopics.AFTER));
    return out.sorted();
  }

  private static void tick(ReplayCore core, Instant at) {
    core.accept(0, Channel.REQUESTS, TestEvents.tick(at), "memory", null);
    core.accept(0, Channel.SCORES, TestEvents.tick(at), "memory", null);
    core.event(0, TestEvents.tick(at), "memory");
  }

  @Test
  void replayOfTopicsGivesTheWindowsOfTheCore() {
    Collected out = new Collected();
    try (Consumer<byte[], byte[]> consumer = live.consumer()) {
      KafkaReplay.Result result =
          new KafkaReplay(
                  consumer,
                  live.topics,
                  SETTINGS,
                  new MetricLayouts(),
                  findings -> new Judge(findings::accept),
                  new EventReader(),
                  new Tally())
              .run(null, null, out, read -> {});
      assertThat(result.records()).isGreaterThan(TRAFFIC.size());
    }
    assertThat(out.sorted()).isEqualTo(expected);
  }

  @Test
  void replayOfARangeGivesTheWindowsInside() {
    Instant from = TestEvents.START.plus(Duration.ofMinutes(15));
    Instant to = TestEvents.START.plus(Duration.ofMinutes(30));
    Collected out = new Collected();
    try (Consumer<byte[], byte[]> consumer = live.consumer()) {
      new KafkaReplay(
              consumer,
              live.topics,
              SETTINGS,
              new MetricLayouts(),
              findings -> new Judge(findings::accept),
              new EventReader(),
              new Tally())
          .run(from, to, out, read -> {});
    }
    List<String> inside =
        expected.stream()
            .filter(
                hex -> {
                  WindowSummary window =
                      (WindowSummary) EventCodec.decode(HexFormat.of().parseHex(hex));
                  return !window.getStart().isBefore(from) && !window.getEnd().isAfter(to);
                })
            .toList();
    assertThat(inside).isNotEmpty();
    assertThat(out.sorted()).isEqualTo(inside);
  }

  @Test
  void liveTopologyGivesTheWindowsOfTheCore_althoughItIsKilledAgainAndAgain() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    for (int kill = 0; kill < 3; kill++) {
      Process child = child("crash");
      assertThat(child.waitFor(3500 + random.nextInt(2500), TimeUnit.MILLISECONDS)).isFalse();
      child.destroyForcibly().waitFor();
    }
    Process last = child("crash");
    try {
      await()
          .atMost(Duration.ofSeconds(120))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> live.windows().size() >= expected.size());
    } finally {
      last.destroyForcibly().waitFor();
    }
    assertThat(live.windows()).isEqualTo(expected);
  }

  private Process child(String applicationId) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            MonitorProcess.class.getName(),
            broker.bootstrapServers(),
            applicationId,
            dir.resolve("state").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target", "monitor-process.log")))
        .start();
  }

  /** A monitor in a process of its own, to be killed. */
  static final class MonitorProcess {
    private MonitorProcess() {}

    public static void main(String[] args) throws Exception {
      MonitorStreams monitor =
          new LiveTopics(args[0]).monitor(args[1], Path.of(args[2]), SETTINGS, new Tally());
      monitor.start();
      Thread.currentThread().join();
    }
  }

  private static final class Collected implements ReplayCore.Listener {
    private final List<String> windows = new ArrayList<>();

    @Override
    public void window(WindowSummary window) {
      windows.add(HexFormat.of().formatHex(EventCodec.encode(window)));
    }

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {}

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload) {
      throw new AssertionError("rejected: " + why.detail());
    }

    List<String> sorted() {
      windows.sort(null);
      return windows;
    }
  }
}
