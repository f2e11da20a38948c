package io.servedrift.monitors.replay;

import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Replays a time range of the requests, scores and serving-events topics. Record timestamps are
 * event times, so the range is sought and not scanned; reading starts one horizon before what the
 * judge starts from, so that de-duplication and late scores see what the live monitor saw. Each
 * partition is read in offset order; a partition that runs ahead in event time waits for the
 * others, so memory does not grow with the range. Not thread-safe.
 */
public final class KafkaReplay {
  private static final Duration POLL = Duration.ofMillis(500);

  private final Consumer<byte[], byte[]> consumer;
  private final Topics topics;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final StepTaker.Maker judges;
  private final EventReader reader;
  private final Tally tally;

  /**
   * What was read.
   *
   * @param records records read, ticks included
   * @param reached event time that every partition has reached; null when a partition holds nothing
   *     in the range. Windows that end later were not closed.
   */
  public record Result(long records, @Nullable Instant reached) {}

  /**
   * @param consumer not subscribed, byte arrays, {@code read_committed}; stays the caller's to
   *     close
   */
  public KafkaReplay(
      Consumer<byte[], byte[]> consumer,
      Topics topics,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      EventReader reader,
      Tally tally) {
    this.consumer = consumer;
    this.topics = topics;
    this.settings = settings;
    this.layouts = layouts;
    this.judges = judges;
    this.reader = reader;
    this.tally = tally;
  }

  /**
   * Reads the range and sends every window that lies inside it.
   *
   * @param from start of the range, null for the first record
   * @param to end of the range, null for what the topics hold now
   * @param state what the judge knows at the start of the range; nothing of it is used when the
   *     range begins with the first record
   * @param progress called with the number of records read so far, now and then
   * @throws IllegalStateException when the topics are missing or not co-partitioned
   */
  public Result run(
      @Nullable Instant from,
      @Nullable Instant to,
      Checkpoints state,
      ReplayCore.Listener listener,
      LongConsumer progress) {
    int partitions = checkedPartitions();
    int eventPartitions = count(topics.servingEvents());
    ReplayCore core =
        new ReplayCore(
            partitions,
            eventPartitions,
            settings,
            layouts,
            judges,
            new Inside(from, to, listener),
            tally);
    Instant start = null;
    if (from != null) {
      start = state.earliestOr(from);
      core.startAt(ChronoUnit.MICROS.between(Instant.EPOCH, start));
      tally.add("checkpoints_dropped", state.start(core));
    }
    Map<TopicPartition, Long> ends = assign(partitions, eventPartitions, start);
    Set<TopicPartition> open = new HashSet<>(ends.keySet());
    long readRecords = 0;
    dropFinished(open, ends, core, to);
    while (!open.isEmpty()) {
      holdBack(open, core);
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        feed(core, record, listener);
        readRecords++;
      }
      progress.accept(readRecords);
      dropFinished(open, ends, core, to);
    }
    return new Result(readRecords, reached(core, partitions));
  }

  private int checkedPartitions() {
    int requests = count(topics.requests());
    int scores = count(topics.scores());
    if (requests != scores) {
      throw new IllegalStateException(
          "partitions of "
              + topics.requests()
              + " ("
              + requests
              + ") and "
              + topics.scores()
              + " ("
              + scores
              + ") must be equal: records of one key are read together");
    }
    return requests;
  }

  private int count(String topic) {
    List<PartitionInfo> found = consumer.partitionsFor(topic);
    if (found == null || found.isEmpty()) {
      throw new IllegalStateException("topic " + topic + " does not exist");
    }
    return found.size();
  }

  /** Seeks every partition to its start; returns where each ends. */
  private Map<TopicPartition, Long> assign(
      int partitions, int eventPartitions, @Nullable Instant from) {
    List<TopicPartition> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      all.add(new TopicPartition(topics.requests(), i));
      all.add(new TopicPartition(topics.scores(), i));
    }
    for (int i = 0; i < eventPartitions; i++) {
      all.add(new TopicPartition(topics.servingEvents(), i));
    }
    consumer.assign(all);
    Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(all));
    if (from == null) {
      consumer.seekToBeginning(all);
      return ends;
    }
    Map<TopicPartition, Long> times = new HashMap<>();
    // The first step of the judge may be a score pane that began this long before.
    Instant first =
        from.minus(settings.grace()).minus(settings.scoreGrace()).minus(settings.pane());
    long start =
        Math.max(0, first.minus(settings.horizon()).minus(settings.futureLimit()).toEpochMilli());
    all.forEach(partition -> times.put(partition, start));
    Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
    for (TopicPartition partition : all) {
      OffsetAndTimestamp offset = found.get(partition);
      consumer.seek(partition, offset == null ? ends.getOrDefault(partition, 0L) : offset.offset());
    }
    return ends;
  }

  private void feed(
      ReplayCore core, ConsumerRecord<byte[], byte[]> record, ReplayCore.Listener listener) {
    String origin = record.topic() + "-" + record.partition() + "@" + record.offset();
    byte[] payload = record.value();
    Reading reading = reader.read(payload);
    if (reading instanceof Reading.Accepted accepted
        && record.topic().equals(topics.servingEvents())) {
      core.event(record.partition(), accepted.event(), origin);
    } else if (reading instanceof Reading.Accepted accepted) {
      core.accept(record.partition(), channel(record.topic()), accepted.event(), origin, payload);
    } else if (reading instanceof Reading.Rejected rejected) {
      tally.count("dead_letters_" + rejected.reason());
      listener.rejected(rejected, origin, payload);
    }
  }

  private Channel channel(String topic) {
    return topic.equals(topics.requests()) ? Channel.REQUESTS : Channel.SCORES;
  }

  private long clock(ReplayCore core, TopicPartition partition) {
    return partition.topic().equals(topics.servingEvents())
        ? core.eventClockMicros(partition.partition())
        : core.clockMicros(partition.partition(), channel(partition.topic()));
  }

  /**
   * Pauses partitions that are more than a horizon of event time ahead of the slowest one that has
   * more to read.
   */
  private void holdBack(Set<TopicPartition> open, ReplayCore core) {
    long slowest = Long.MAX_VALUE;
    for (TopicPartition partition : open) {
      slowest = Math.min(slowest, clock(core, partition));
    }
    Set<TopicPartition> ahead = new HashSet<>();
    for (TopicPartition partition : open) {
      long clock = clock(core, partition);
      if (clock != Long.MIN_VALUE
          && slowest != Long.MIN_VALUE
          && clock - slowest > settings.horizon().toNanos() / 1000) {
        ahead.add(partition);
      }
    }
    consumer.resume(open);
    consumer.pause(ahead);
  }

  private void dropFinished(
      Set<TopicPartition> open,
      Map<TopicPartition, Long> ends,
      ReplayCore core,
      @Nullable Instant to) {
    Set<TopicPartition> done = new HashSet<>();
    for (TopicPartition partition : open) {
      boolean atEnd = consumer.position(partition) >= ends.getOrDefault(partition, 0L);
      boolean past = to != null && clock(core, partition) > lastNeeded(to);
      if (atEnd || past) {
        done.add(partition);
      }
    }
    open.removeAll(done);
    consumer.pause(done);
  }

  /** A window that ends at {@code to} is closed once scores can no longer come for it. */
  private long lastNeeded(Instant to) {
    Instant last = to.plus(settings.grace()).plus(settings.scoreGrace()).plus(settings.horizon());
    return last.getEpochSecond() * 1_000_000L + last.getNano() / 1000;
  }

  private static @Nullable Instant reached(ReplayCore core, int partitions) {
    long slowest = Long.MAX_VALUE;
    for (int i = 0; i < partitions; i++) {
      slowest = Math.min(slowest, core.clockMicros(i, Channel.REQUESTS));
    }
    return slowest == Long.MIN_VALUE || slowest == Long.MAX_VALUE
        ? null
        : Instant.ofEpochMilli(Math.floorDiv(slowest, 1000));
  }

  /** Lets pass what lies inside the range: before it the state only warms up. */
  private record Inside(@Nullable Instant from, @Nullable Instant to, ReplayCore.Listener listener)
      implements ReplayCore.Listener {
    @Override
    public void window(WindowSummary window) {
      if ((from == null || !window.getStart().isBefore(from))
          && (to == null || !window.getEnd().isAfter(to))) {
        listener.window(window);
      }
    }

    @Override
    public void correction(Correction correction) {
      if ((from == null || !correction.getCountsAt().isBefore(from))
          && (to == null || correction.getCountsAt().isBefore(to))) {
        listener.correction(correction);
      }
    }

    @Override
    public void finding(Finding finding, long micros) {
      Instant decided = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
      if ((from == null || !decided.isBefore(from)) && (to == null || !decided.isAfter(to))) {
        listener.finding(finding, micros);
      }
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
      listener.rejected(why, origin, payload);
    }
  }
}
