package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventCodec;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.avro.CorrectionKind;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.Tick;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.apache.avro.specific.SpecificRecord;

/**
 * Same events, same windows and panes: whatever the partitions, the order within grace, the
 * repeats, the interleaving, the crash.
 */
class CorePropertyTest {
  private static final PaneSettings SETTINGS =
      new PaneSettings(
          Duration.ofSeconds(20),
          List.of(Duration.ofSeconds(60), Duration.ofMinutes(5)),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofMinutes(3),
          Duration.ofSeconds(60),
          10_000,
          50,
          100,
          20);

  private static final PaneSettings SMALL_ROOM =
      new PaneSettings(
          SETTINGS.pane(),
          SETTINGS.windows(),
          SETTINGS.grace(),
          SETTINGS.scoreGrace(),
          SETTINGS.horizon(),
          SETTINGS.futureLimit(),
          25,
          50,
          100,
          20);

  private static final Duration LENGTH = Duration.ofMinutes(7);

  /** A record of one partition's topic. */
  private record Input(int partition, Channel channel, SpecificRecord event) {}

  /** Traffic on partitions by request id, with ticks every second, as the live topics hold it. */
  private static List<List<Input>> topics(List<SpecificRecord> traffic, int partitions) {
    List<List<Input>> topics = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      List<Input> requests = new ArrayList<>();
      List<Input> scores = new ArrayList<>();
      Instant tick = TestEvents.START;
      for (SpecificRecord event : traffic) {
        while (tick.isBefore(EventTimes.of(event))) {
          requests.add(new Input(partition, Channel.REQUESTS, TestEvents.tick(tick)));
          scores.add(new Input(partition, Channel.SCORES, TestEvents.tick(tick)));
          tick = tick.plusSeconds(1);
        }
        if (event instanceof RequestEvent request
            && partitionOf(request.getRequestId(), partitions) == partition) {
          requests.add(new Input(partition, Channel.REQUESTS, event));
        } else if (event instanceof ScoreEvent score
            && partitionOf(score.getRequestId(), partitions) == partition) {
          scores.add(new Input(partition, Channel.SCORES, event));
        }
      }
      Instant end = TestEvents.START.plus(LENGTH).plus(Duration.ofMinutes(10));
      for (; tick.isBefore(end); tick = tick.plusSeconds(1)) {
        requests.add(new Input(partition, Channel.REQUESTS, TestEvents.tick(tick)));
        scores.add(new Input(partition, Channel.SCORES, TestEvents.tick(tick)));
      }
      topics.add(requests);
      topics.add(scores);
    }
    return topics;
  }

  private static int partitionOf(String id, int partitions) {
    return Math.floorMod(id.hashCode(), partitions);
  }

  /** One reading of all topics: each in its own order, interleaved at random. */
  private static List<Input> interleave(List<List<Input>> topics, SplittableRandom random) {
    int[] next = new int[topics.size()];
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < topics.size(); i++) {
      if (!topics.get(i).isEmpty()) {
        open.add(i);
      }
    }
    List<Input> reading = new ArrayList<>();
    while (!open.isEmpty()) {
      int pick = random.nextInt(open.size());
      int topic = open.get(pick);
      for (int burst = 1 + random.nextInt(200);
          burst > 0 && next[topic] < topics.get(topic).size();
          burst--) {
        reading.add(topics.get(topic).get(next[topic]++));
      }
      if (next[topic] == topics.get(topic).size()) {
        open.remove(pick);
      }
    }
    return reading;
  }

  /** What comes out of both stages: windows, and what panes carry beyond them. */
  private static List<String> outcome(List<Input> reading, int partitions) {
    Recorder out = new Recorder();
    Tally tally = new Tally();
    DeploymentAggregator stage2 =
        new DeploymentAggregator(SETTINGS, new MetricLayouts(), out, StateJournal.NONE, tally);
    List<PartitionAggregator> stage1 = stage1(partitions, new ToStage2(stage2), tally, false);
    reading.forEach(
        input ->
            stage1.get(input.partition()).accept(input.channel(), input.event(), "test", null));
    assertThat(out.windows).isNotEmpty();
    assertThat(out.corrections)
        .noneMatch(correction -> correction.getKind() == CorrectionKind.LATE_REQUEST);
    return outcome(out);
  }

  private static List<String> outcome(Recorder out) {
    int most = 0;
    for (MergedPane pane : out.panes) {
      if (pane.kind() == PaneKind.LATENCY) {
        requireArrivalsOfItsRequests(pane);
      } else {
        assertThat(pane.arrivals()).isEmpty();
      }
      for (MergedPane.Series series : pane.series()) {
        assertThat(series.exemplars()).isNotEmpty();
        most = Math.max(most, series.exemplars().size());
      }
    }
    assertThat(most).isBetween(11, ExemplarSample.PER_SERIES);
    List<String> outcome = new ArrayList<>(out.windowBytes());
    outcome.addAll(out.paneTexts());
    return outcome;
  }

  private static void requireArrivalsOfItsRequests(MergedPane pane) {
    long requests =
        pane.series().stream()
            .filter(series -> series.key().metric().equals(ServedRequest.ERROR_RATIO))
            .filter(series -> series.key().configId().equals(SeriesKey.ALL))
            .mapToLong(series -> series.total().n())
            .sum();
    assertThat(pane.arrivals().values().stream().mapToLong(count -> count).sum())
        .isEqualTo(requests)
        .isPositive();
    assertThat(pane.arrivals().firstKey()).isLessThan(pane.startMicros());
    assertThat(pane.arrivals().lastKey()).isLessThanOrEqualTo(pane.startMicros());
  }

  private static List<PartitionAggregator> stage1(
      int partitions, PaneSink sink, Tally tally, boolean logged) {
    return stage1(partitions, sink, tally, logged, SETTINGS);
  }

  private static List<PartitionAggregator> stage1(
      int partitions, PaneSink sink, Tally tally, boolean logged, PaneSettings settings) {
    List<PartitionAggregator> stage1 = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      stage1.add(
          new PartitionAggregator(
              i, partitions, settings, new MetricLayouts(), sink, tally, logged));
    }
    return stage1;
  }

  @Property(tries = 25)
  void outcomeIsEqual_forAnyPartitioningInterleavingOrderWithinGraceAndRepeats(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 7) int partitions) {
    SplittableRandom random = new SplittableRandom(seed);
    List<SpecificRecord> traffic = TestEvents.traffic(seed, LENGTH, 3);
    List<String> expected = outcome(interleave(topics(traffic, 1), random), 1);

    List<SpecificRecord> disturbed = shuffledWithinGrace(traffic, random);
    List<String> actual = outcome(interleave(topics(disturbed, partitions), random), partitions);
    assertThat(actual).isEqualTo(expected);
  }

  /** Each event comes up to 8 s after its time, and some come twice. */
  private static List<SpecificRecord> shuffledWithinGrace(
      List<SpecificRecord> traffic, SplittableRandom random) {
    record Delayed(long at, SpecificRecord event) {}
    List<Delayed> delayed = new ArrayList<>();
    for (SpecificRecord event : traffic) {
      if (event instanceof ScoreEvent) {
        // Repeats of a score must not overtake the first: the first of a (request, name) in its
        // partition counts.
        delayed.add(new Delayed(EventTimes.of(event).toEpochMilli(), event));
        continue;
      }
      for (int copies = random.nextInt(10) == 0 ? 2 : 1; copies > 0; copies--) {
        delayed.add(new Delayed(EventTimes.of(event).toEpochMilli() + random.nextInt(8000), event));
      }
    }
    delayed.sort(java.util.Comparator.comparingLong(Delayed::at));
    return delayed.stream().map(Delayed::event).toList();
  }

  /**
   * Ticks fail for minutes, so that the waiting room overflows; records repeat; some come from the
   * far future.
   */
  private static List<Input> disturbed(List<Input> reading, SplittableRandom random) {
    List<Input> disturbed = new ArrayList<>();
    Instant from = TestEvents.START.plusSeconds(60 + random.nextInt(120));
    Instant to = from.plusSeconds(90 + random.nextInt(120));
    for (Input input : reading) {
      Instant at = EventTimes.of(input.event());
      if (input.event() instanceof Tick && at.isAfter(from) && at.isBefore(to)) {
        continue;
      }
      disturbed.add(input);
      if (random.nextInt(20) == 0) {
        disturbed.add(input);
      }
      if (input.channel() == Channel.REQUESTS && random.nextInt(60) == 0) {
        RequestEvent far =
            TestEvents.request(
                "far-" + disturbed.size(), at.plusSeconds(random.nextInt(100_000)), 1);
        disturbed.add(new Input(input.partition(), Channel.REQUESTS, far));
      }
    }
    return disturbed;
  }

  @Property(tries = 25)
  void outputIsExact_whenTheProcessDiesBetweenCommits(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Input> reading =
        disturbed(interleave(topics(TestEvents.traffic(seed, LENGTH, 3), 1), random), random);

    Recorder undisturbed = new Recorder();
    PartitionAggregator alive = stage1(1, undisturbed, new Tally(), true, SMALL_ROOM).get(0);
    reading.forEach(input -> alive.accept(input.channel(), input.event(), "test", null));

    // A transaction: what was sent and logged since the last commit counts only once the commit
    // comes.
    List<String> committed = new ArrayList<>();
    TreeMap<Long, byte[]> changelog = new TreeMap<>();
    int position = 0;
    int most = 0;
    long handedOver = 0;
    while (position < reading.size()) {
      Recorder uncommitted = new Recorder();
      Tally tally = new Tally();
      PartitionAggregator current = stage1(1, uncommitted, tally, true, SMALL_ROOM).get(0);
      current.restore(new TreeMap<>(changelog));
      int commits = 1 + random.nextInt(6);
      for (int c = 0; c < commits && position < reading.size(); c++) {
        int until = Math.min(reading.size(), position + 1 + random.nextInt(400));
        for (; position < until; position++) {
          Input input = reading.get(position);
          current.accept(input.channel(), input.event(), "test", null);
        }
        current.drain().forEach(chunk -> changelog.put(chunk.number(), chunk.bytes()));
        current.obsolete().forEach(changelog::remove);
        most = Math.max(most, changelog.size());
        committed.addAll(hex(uncommitted.sent));
        uncommitted.sent.clear();
      }
      // ... and dies in the middle of the next transaction: some records are read whose effects are
      // lost.
      int lost = Math.min(reading.size(), position + random.nextInt(300));
      for (int i = position; i < lost; i++) {
        Input input = reading.get(i);
        current.accept(input.channel(), input.event(), "test", null);
      }
      assertThatNothingIsLost(tally);
      handedOver += waiting(tally);
      current.close();
      assertThatNothingIsLost(tally);
      assertThat(waiting(tally)).isZero();
    }
    boolean someWaited = handedOver > 0;
    Statistics.label("records waited when the process died")
        .collect(someWaited)
        .coverage(checker -> checker.check(true).percentage(share -> share >= 50));
    List<String> expected = hex(undisturbed.sent);
    for (int i = 0; i < Math.min(committed.size(), expected.size()); i++) {
      assertThat(committed.get(i)).as("record %d", i).isEqualTo(expected.get(i));
    }
    assertThat(committed).hasSameSizeAs(expected);
    assertThat(undisturbed.paneSummaries().stream().mapToInt(part -> part.getArrivals().size()))
        .anyMatch(size -> size > 1);
    assertThat(undisturbed.paneSummaries().stream().mapToInt(part -> part.getExemplars().size()))
        .doesNotContain(0)
        .anyMatch(size -> size > 1);
    assertThat(most).isGreaterThan(2);
    assertThat(undisturbed.rejected).isNotEmpty();
  }

  @Property(tries = 15)
  void outcomeIsExact_whenStageTwoDiesAndReadsItsJournal(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Recorder panes = new Recorder();
    PartitionAggregator stage1 = stage1(1, panes, new Tally(), false).get(0);
    for (Input input : interleave(topics(TestEvents.traffic(seed, LENGTH, 3), 1), random)) {
      stage1.accept(input.channel(), input.event(), "test", null);
    }
    Recorder undisturbed = new Recorder();
    DeploymentAggregator alive =
        new DeploymentAggregator(
            SETTINGS, new MetricLayouts(), undisturbed, StateJournal.NONE, new Tally());
    panes.sent.forEach(alive::accept);

    Recorder restarted = new Recorder();
    TreeMap<String, byte[]> journal = new TreeMap<>();
    StateJournal kept =
        new StateJournal() {
          @Override
          public void put(String key, Supplier<byte[]> value) {
            assertThat(journal).doesNotContainKey(key.startsWith("watermark/") ? "" : key);
            journal.put(key, value.get());
          }

          @Override
          public void delete(String key) {
            assertThat(journal.remove(key)).isNotNull();
          }
        };
    DeploymentAggregator current =
        new DeploymentAggregator(SETTINGS, new MetricLayouts(), restarted, kept, new Tally());
    for (SpecificRecord record : panes.sent) {
      if (random.nextInt(20) == 0) {
        current =
            new DeploymentAggregator(SETTINGS, new MetricLayouts(), restarted, kept, new Tally());
        current.restore(new TreeMap<>(journal));
      }
      current.accept(record);
    }
    assertThat(outcome(restarted)).isEqualTo(outcome(undisturbed));
    assertThat(restarted.windows).isNotEmpty();
  }

  private static List<String> hex(List<SpecificRecord> records) {
    return records.stream()
        .map(record -> HexFormat.of().formatHex(EventCodec.encode(record)))
        .toList();
  }

  /** Stage 1 wired to stage 2 by calls. */
  private record ToStage2(DeploymentAggregator stage2) implements PaneSink {
    @Override
    public void pane(io.servedrift.schemas.avro.PaneSummary summary) {
      stage2.accept(summary);
    }

    @Override
    public void watermark(io.servedrift.schemas.avro.Watermark watermark) {
      stage2.accept(watermark);
    }

    @Override
    public void correction(io.servedrift.schemas.avro.Correction correction) {
      stage2.accept(correction);
    }

    @Override
    public void rejected(
        io.servedrift.schemas.Reading.Rejected why,
        String origin,
        byte[] payload,
        long eventMicros) {
      throw new AssertionError("rejected: " + why.detail());
    }
  }

  private static long waiting(Tally tally) {
    return sum(tally, "requests_waiting", "scores_waiting", "scores_pending");
  }

  private static long sum(Tally tally, String... names) {
    return Arrays.stream(names).mapToLong(tally::get).sum();
  }

  /** The laws that {@link Tally} states. */
  private static void assertThatNothingIsLost(Tally tally) {
    assertThat(sum(tally, "requests_read", "requests_taken_over"))
        .isEqualTo(
            sum(
                tally,
                "requests_accepted",
                "duplicates",
                "late_requests",
                "synthetic",
                "requests_rejected",
                "requests_waiting",
                "requests_handed_over"));
    assertThat(sum(tally, "scores_read", "scores_taken_over"))
        .isEqualTo(
            sum(
                tally,
                "scores_joined",
                "scores_repeated",
                "scores_unused",
                "late_scores",
                "scores_rejected",
                "scores_unmatched",
                "scores_pending",
                "scores_waiting",
                "scores_handed_over"));
  }
}
