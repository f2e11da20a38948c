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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Replays a time range of the requests, scores and serving-events topics, from Kafka or from an
 * archive of it. Record timestamps are event times, so the range is sought and not scanned; reading
 * starts one horizon before what the judge starts from, so that de-duplication and late scores see
 * what the live monitor saw. Each partition is read in offset order; a partition that runs ahead in
 * event time waits for the others, so memory does not grow with the range. Not thread-safe.
 */
public final class RangeReplay {
  /** How far a partition may be ahead of the slowest: all that it gives is held until then. */
  private static final int AHEAD_PANES = 2;

  private final RecordSource source;
  private final Topics topics;
  private final PaneSettings settings;
  private final MetricLayouts layouts;
  private final StepTaker.Maker judges;
  private final EventReader reader;
  private final Tally tally;
  private Predicate<SpecificRecord> filter = event -> true;
  private BooleanSupplier stopped = () -> false;
  private Progress progress = (done, total) -> {};
  private int threads = 1;

  /**
   * What was read.
   *
   * @param records records read, ticks included
   * @param inRange requests and scores among them whose time lies in the range and that pass the
   *     filter
   * @param reached event time that every partition has reached; null when a partition holds nothing
   *     in the range. Windows that end later were not closed.
   * @param partial whether it was stopped before the end of the range
   */
  public record Result(long records, long inRange, @Nullable Instant reached, boolean partial) {}

  /** Told how far it is. */
  public interface Progress {
    /** Records done and, about, in all; 0 when that is not known. */
    void at(long done, long total);
  }

  /**
   * @param source stays the caller's to close
   * @param topics as the source names them
   */
  public RangeReplay(
      RecordSource source,
      Topics topics,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      EventReader reader,
      Tally tally) {
    this.source = source;
    this.topics = topics;
    this.settings = settings;
    this.layouts = layouts;
    this.judges = judges;
    this.reader = reader;
    this.tally = tally;
  }

  /** Leaves out events, as if they had never been sent; ticks always pass. */
  public RangeReplay filter(Predicate<SpecificRecord> wanted) {
    filter = wanted;
    return this;
  }

  /** Ends the replay early once this says so; asked now and then. */
  public RangeReplay stopWhen(BooleanSupplier condition) {
    stopped = condition;
    return this;
  }

  /**
   * Lets this many threads take part; default 1. The result is the same with any number.
   *
   * @param count at least 1
   */
  public RangeReplay threads(int count) {
    threads = count;
    return this;
  }

  /** Tells how far it is, now and then. */
  public RangeReplay progress(Progress listener) {
    progress = listener;
    return this;
  }

  /**
   * Reads the range and sends every window and finding that lies inside it.
   *
   * @param state what the judge knows at the start of the range; nothing of it is used when the
   *     range begins with the first record
   */
  public Result run(ReplayRange range, Checkpoints state, ReplayCore.Listener listener) {
    int partitions = source.requestPartitions();
    int eventPartitions = source.eventPartitions();
    ReplayCore core =
        new ReplayCore(
            partitions,
            eventPartitions,
            settings,
            layouts,
            judges,
            new Inside(range.from(), range.to(), listener),
            tally);
    Instant start = range.start(state);
    if (start != null) {
      core.startAt(ChronoUnit.MICROS.between(Instant.EPOCH, start));
      tally.add("checkpoints_dropped", state.start(core));
    }
    List<TopicPartition> all = all(partitions, eventPartitions);
    source.open(all, range, start == null ? null : ReplayRange.readFrom(start, settings));
    Set<TopicPartition> open = new HashSet<>(all);
    dropFinished(open, core, range.to());
    try (RecordFeed feed =
        new RecordFeed(core, topics, reader, tally, filter, range, listener, threads)) {
      while (!open.isEmpty() && !stopped.getAsBoolean()) {
        feed.take(source.poll(notAhead(open, core)));
        progress.at(feed.records(), source.expected());
        dropFinished(open, core, range.to());
      }
      return new Result(feed.records(), feed.inRange(), reached(core, partitions), !open.isEmpty());
    }
  }

  private List<TopicPartition> all(int partitions, int eventPartitions) {
    List<TopicPartition> all = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      all.add(new TopicPartition(topics.requests(), i));
      all.add(new TopicPartition(topics.scores(), i));
    }
    for (int i = 0; i < eventPartitions; i++) {
      all.add(new TopicPartition(topics.servingEvents(), i));
    }
    return all;
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
   * Leaves out partitions that are ahead of the slowest one that has more to read: what they give
   * can only wait for it. While one has not said where it is, all that have wait.
   */
  private Set<TopicPartition> notAhead(Set<TopicPartition> open, ReplayCore core) {
    long slowest = Long.MAX_VALUE;
    for (TopicPartition partition : open) {
      slowest = Math.min(slowest, clock(core, partition));
    }
    Set<TopicPartition> readable = new HashSet<>();
    for (TopicPartition partition : open) {
      long clock = clock(core, partition);
      boolean unknown = slowest == Long.MIN_VALUE;
      if (unknown ? clock == slowest : clock - slowest <= AHEAD_PANES * settings.paneMicros()) {
        readable.add(partition);
      }
    }
    return readable;
  }

  private void dropFinished(Set<TopicPartition> open, ReplayCore core, @Nullable Instant to) {
    open.removeIf(
        partition ->
            source.atEnd(partition) || (to != null && clock(core, partition) > lastNeeded(to)));
  }

  private long lastNeeded(Instant to) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, ReplayRange.readUntil(to, settings));
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

    /** At its end the judge knows only what lies before it; later records are not all read. */
    @Override
    public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
      if (to == null || micros <= ChronoUnit.MICROS.between(Instant.EPOCH, to)) {
        listener.checkpoint(deployment, micros, state);
      }
    }

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
      listener.rejected(why, origin, payload);
    }
  }
}
