package io.servedrift.monitors.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.testkit.JudgedRun;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.monitors.testkit.SteadyTraffic.Shape;
import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeReplayTest {
  private static final Topics TOPICS = new Topics("memory");
  private static final int PARTITIONS = 5;
  private static final Duration BEFORE = Duration.ofMinutes(90);
  private static final Instant END = SteadyTraffic.START.plus(Duration.ofMinutes(150));

  private static Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> log;
  private static long requests;
  private static Output expected;

  @BeforeAll
  static void writeLog() {
    Shape faulty = new Shape();
    faulty.hitScore = -.03;
    List<RequestEvent> events =
        new SteadyTraffic(3, 40).run(BEFORE).run(Duration.ofMinutes(40), faulty).take();
    requests = events.size();
    log = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      log.put(new TopicPartition(TOPICS.requests(), i), new ArrayList<>());
      log.put(new TopicPartition(TOPICS.scores(), i), new ArrayList<>());
    }
    log.put(new TopicPartition(TOPICS.servingEvents(), 0), new ArrayList<>());
    Instant tick = SteadyTraffic.START;
    for (RequestEvent event : events) {
      for (; tick.isBefore(event.getFinishedAt()); tick = tick.plusSeconds(2)) {
        tick(tick);
      }
      int partition = Math.floorMod(event.getRequestId().hashCode(), PARTITIONS);
      add(
          new TopicPartition(TOPICS.requests(), partition),
          event.getFinishedAt(),
          EventCodec.encode(event));
    }
    add(new TopicPartition(TOPICS.requests(), 0), tick, "?".getBytes(StandardCharsets.UTF_8));
    for (; tick.isBefore(END); tick = tick.plusSeconds(2)) {
      tick(tick);
    }
    expected = new Output();
    replay(new MemorySource(1)).run(ReplayRange.of(null, null), Checkpoints.NONE, expected);
    assertThat(expected.findings).isNotEmpty();
    assertThat(expected.rejected).containsExactly("unknown_format");
  }

  private static void tick(Instant at) {
    log.keySet().forEach(partition -> add(partition, at, EventCodec.encode(new Tick(at))));
  }

  private static void add(TopicPartition partition, Instant at, byte[] value) {
    List<ConsumerRecord<byte[], byte[]>> records = log.get(partition);
    records.add(
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            records.size(),
            at.toEpochMilli(),
            TimestampType.CREATE_TIME,
            ConsumerRecord.NULL_SIZE,
            value.length,
            null,
            value,
            new RecordHeaders(),
            Optional.empty()));
  }

  private static RangeReplay replay(RecordSource source) {
    return new RangeReplay(
        source,
        TOPICS,
        PaneSettings.defaults(),
        new MetricLayouts(),
        JudgedRun.BY_DEFAULT,
        new EventReader(),
        new Tally());
  }

  /** Whatever is read together, and by however many threads. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  void theNumberOfThreadsChangesNothing(int threads) {
    Output output = new Output();
    RangeReplay.Result result =
        replay(new MemorySource(threads))
            .threads(threads)
            .run(ReplayRange.of(null, null), Checkpoints.NONE, output);
    assertThat(output.findings).isEqualTo(expected.findings);
    assertThat(output.windows()).isEqualTo(expected.windows());
    assertThat(output.rejected).isEqualTo(expected.rejected);
    assertThat(result.inRange()).isEqualTo(requests);
    assertThat(result.partial()).isFalse();
    assertThat(result.records()).isEqualTo(log.values().stream().mapToLong(List::size).sum());
  }

  @Test
  void countsWhatLiesInTheRangeAlone() {
    Instant from = SteadyTraffic.START.plus(Duration.ofMinutes(30));
    Instant to = SteadyTraffic.START.plus(Duration.ofMinutes(40));
    RangeReplay.Result result =
        replay(new MemorySource(7)).run(ReplayRange.of(from, to), Checkpoints.NONE, new Output());
    long inside =
        log.values().stream()
            .flatMap(List::stream)
            .filter(record -> record.value().length > 40)
            .map(record -> Instant.ofEpochMilli(record.timestamp()))
            .filter(at -> !at.isBefore(from) && at.isBefore(to))
            .count();
    assertThat(result.inRange()).isEqualTo(inside).isPositive();
  }

  @Test
  void isPartialWhenItIsStopped() {
    int[] asked = {0};
    Output output = new Output();
    RangeReplay.Result result =
        replay(new MemorySource(1))
            .stopWhen(() -> asked[0]++ > 10)
            .run(ReplayRange.of(null, null), Checkpoints.NONE, output);
    assertThat(result.partial()).isTrue();
    assertThat(result.records()).isPositive();
    assertThat(expected.windows()).containsAll(output.windows());
  }

  @Test
  void aFailureOfAThreadIsThatOfTheReplay() {
    RangeReplay replay =
        replay(new MemorySource(1))
            .threads(3)
            .filter(
                event -> {
                  throw new IllegalStateException("filter broke");
                });
    assertThatThrownBy(() -> replay.run(ReplayRange.of(null, null), Checkpoints.NONE, new Output()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("filter broke");
  }

  /** Gives batches of random size, and often none of a partition. */
  private static final class MemorySource implements RecordSource {
    private final SplittableRandom random;
    private final Map<TopicPartition, Deque<ConsumerRecord<byte[], byte[]>>> left = new HashMap<>();

    MemorySource(long seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    public int requestPartitions() {
      return PARTITIONS;
    }

    @Override
    public int eventPartitions() {
      return 1;
    }

    @Override
    public void open(List<TopicPartition> partitions, ReplayRange range, Instant readFrom) {
      partitions.forEach(partition -> left.put(partition, new ArrayDeque<>(log.get(partition))));
    }

    @Override
    public long expected() {
      return 0;
    }

    @Override
    public Iterable<ConsumerRecord<byte[], byte[]>> poll(Set<TopicPartition> readable) {
      List<ConsumerRecord<byte[], byte[]>> batch = new ArrayList<>();
      for (TopicPartition partition : readable) {
        Deque<ConsumerRecord<byte[], byte[]>> records = left.get(partition);
        for (int n = random.nextInt(400) - 100; n > 0 && !records.isEmpty(); n--) {
          batch.add(records.remove());
        }
      }
      return batch;
    }

    @Override
    public boolean atEnd(TopicPartition partition) {
      return left.get(partition).isEmpty();
    }
  }

  private static final class Output implements ReplayCore.Listener {
    private final List<Finding> findings = new ArrayList<>();
    private final List<String> windows = new ArrayList<>();
    private final List<String> rejected = new ArrayList<>();

    List<String> windows() {
      windows.sort(null);
      return windows;
    }

    @Override
    public void window(WindowSummary window) {
      windows.add(window.toString());
    }

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {
      findings.add(finding);
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte[] payload) {
      rejected.add(why.reason());
    }
  }
}
