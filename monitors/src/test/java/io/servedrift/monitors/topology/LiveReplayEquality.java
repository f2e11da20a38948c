package io.servedrift.monitors.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.monitors.judge.ChainJudge;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.TestEvents;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.KafkaReplay;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The property the design protects: the same events give the same windows and findings, bit for
 * bit, through the live topology on a real broker, through a replay of its topics, without Kafka at
 * all, and through processes that are killed. What judges, and what traffic, is said by subclasses.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LiveReplayEquality {
  private static final int PARTITIONS = 4;
  private static final PaneSettings SETTINGS = PaneSettings.defaults();

  private final Judged judged;
  private final List<SpecificRecord> traffic;
  private EmbeddedBroker broker;
  private LiveTopics live;
  private Collected expected;

  @TempDir Path dir;

  /** Who judges; a name, so that it can be told to a process of its own. */
  enum Judged {
    /** Every step is a finding. */
    CHAIN,
    /** The judge of the product under the default policy. */
    VERDICTS;

    private StepTaker.Maker maker() {
      return this == CHAIN ? ChainJudge.MAKER : JudgedRun.BY_DEFAULT;
    }
  }

  /** Traffic in event-time order, longer than an hour, so that the judge is checkpointed. */
  LiveReplayEquality(Judged judged, List<SpecificRecord> traffic) {
    this.judged = judged;
    this.traffic = traffic;
  }

  /** What the traffic must give, so that equality says something. */
  abstract void isWorthComparing(List<Finding> findings);

  /** A range within which findings are written, beginning after the first checkpoint. */
  abstract Range afterTheCheckpoint();

  /** From and to, both included. */
  record Range(Instant from, Instant to) {}

  @BeforeAll
  void fillTopics() throws Exception {
    broker = EmbeddedBroker.startTemporary();
    live = new LiveTopics(broker.bootstrapServers());
    live.create(PARTITIONS);
    live.fill(traffic, PARTITIONS);
    expected = withoutKafka();
    assertThat(expected.sorted()).hasSizeGreaterThan(100);
    isWorthComparing(
        expected.findings.stream()
            .map(hex -> (Finding) EventCodec.decode(HexFormat.of().parseHex(hex)))
            .toList());
  }

  @AfterAll
  void stopBroker() {
    broker.close();
  }

  /** The core alone on one partition, ticks as on the topics. */
  private Collected withoutKafka() {
    Collected out = new Collected();
    ReplayCore core =
        new ReplayCore(1, 1, SETTINGS, new MetricLayouts(), judged.maker(), out, new Tally());
    Instant tick = LiveTopics.firstTick(traffic);
    for (SpecificRecord event : traffic) {
      for (; tick.isBefore(EventTimes.of(event)); tick = tick.plusSeconds(1)) {
        tick(core, tick);
      }
      if (event instanceof ServingEvent || event instanceof Decision) {
        core.event(0, event, "memory");
      } else {
        Channel channel = event instanceof ScoreEvent ? Channel.SCORES : Channel.REQUESTS;
        core.accept(0, channel, event, "memory", null);
      }
    }
    tick(core, tick.plus(LiveTopics.AFTER));
    return out;
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
      RangeReplay.Result result =
          new KafkaReplay(
                  consumer,
                  live.topics,
                  SETTINGS,
                  new MetricLayouts(),
                  judged.maker(),
                  new EventReader(),
                  new Tally())
              .run(null, null, Checkpoints.NONE, out, read -> {});
      assertThat(result.records()).isGreaterThan(traffic.size());
    }
    assertThat(out.sorted()).isEqualTo(expected.sorted());
    assertThat(out.findings).isEqualTo(expected.findings);
  }

  @Test
  void replayOfARangeGivesTheWindowsInside() {
    Instant from = LiveTopics.firstTick(traffic).plus(Duration.ofMinutes(15));
    Instant to = LiveTopics.firstTick(traffic).plus(Duration.ofMinutes(30));
    Collected out = new Collected();
    try (Consumer<byte[], byte[]> consumer = live.consumer()) {
      new KafkaReplay(
              consumer,
              live.topics,
              SETTINGS,
              new MetricLayouts(),
              judged.maker(),
              new EventReader(),
              new Tally())
          .run(from, to, Checkpoints.NONE, out, read -> {});
    }
    List<String> inside =
        expected.sorted().stream()
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
  void liveTopologyGivesTheWindowsAndFindingsOfTheCore_althoughItIsKilledAgainAndAgain()
      throws Exception {
    int findings = expected.findings.size();
    int windows = expected.sorted().size();
    for (int quarter = 1; quarter <= 3; quarter++) {
      int enough = windows * quarter / 4;
      Process child = child("crash");
      await()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> live.windows().size() >= enough);
      child.destroyForcibly().waitFor();
    }
    Process last = child("crash");
    try {
      await()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> live.findings().size() >= findings && live.windows().size() >= windows);
    } finally {
      last.destroyForcibly().waitFor();
    }
    assertThat(live.windows()).isEqualTo(expected.sorted());
    assertThat(live.findings()).isEqualTo(expected.findings);
    replayFromTheCheckpointGivesTheFindingsInside();
  }

  /** The chain of a finding goes back to the first step: without the state it would be another. */
  private void replayFromTheCheckpointGivesTheFindingsInside() {
    Instant from = afterTheCheckpoint().from();
    Instant to = afterTheCheckpoint().to();
    Collected out = new Collected();
    try (Consumer<byte[], byte[]> consumer = live.consumer()) {
      Checkpoints state = Checkpoints.newest(consumer, live.topics, from);
      assertThat(state.times()).isEqualTo(Map.of("image-gen", from.truncatedTo(ChronoUnit.HOURS)));
      new KafkaReplay(
              consumer,
              live.topics,
              SETTINGS,
              new MetricLayouts(),
              judged.maker(),
              new EventReader(),
              new Tally())
          .run(from, to, state, out, read -> {});
    }
    assertThat(out.findings).isEqualTo(expected.findingsWithin(from, to)).isNotEmpty();
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
            dir.resolve("state").toString(),
            judged.name())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(new File("target", "monitor-process.log")))
        .start();
  }

  /** A monitor in a process of its own, to be killed. */
  static final class MonitorProcess {
    private MonitorProcess() {}

    public static void main(String[] args) throws Exception {
      MonitorStreams monitor =
          new LiveTopics(args[0])
              .monitor(
                  args[1],
                  Path.of(args[2]),
                  SETTINGS,
                  Judged.valueOf(args[3]).maker(),
                  new Tally());
      monitor.start();
      Thread.currentThread().join();
    }
  }

  private static final class Collected implements ReplayCore.Listener {
    private final List<String> windows = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<Instant> decided = new ArrayList<>();

    @Override
    public void window(WindowSummary window) {
      windows.add(HexFormat.of().formatHex(EventCodec.encode(window)));
    }

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {
      findings.add(HexFormat.of().formatHex(EventCodec.encode(finding)));
      decided.add(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }

    List<String> findingsWithin(Instant from, Instant to) {
      List<String> within = new ArrayList<>();
      for (int i = 0; i < findings.size(); i++) {
        if (!decided.get(i).isBefore(from) && !decided.get(i).isAfter(to)) {
          within.add(findings.get(i));
        }
      }
      return within;
    }

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
