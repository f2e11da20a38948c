package io.servedrift.monitors.replay;

import io.servedrift.monitors.judge.JudgeStage;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.PaneSink;
import io.servedrift.monitors.pane.PartitionAggregator;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.PaneSummary;
import io.servedrift.schemas.avro.Watermark;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Both stages of the core in one process: one {@link PartitionAggregator} per source partition, one
 * {@link JudgeStage} behind them. What the live system does over Kafka topics happens here by
 * method calls. Not thread-safe, but for what is said of {@link #collect}.
 */
public final class ReplayCore {
  private final List<PartitionAggregator> partitions = new ArrayList<>();
  private final List<Between> between = new ArrayList<>();
  private final JudgeStage stage2;

  /** What a replay gives. */
  public interface Listener {
    /** A closed window. */
    void window(WindowSummary window);

    /** A record that came too late for its pane. */
    void correction(Correction correction);

    /**
     * A finding that opened, changed its verdict, or closed.
     *
     * @param micros event time at which that was decided
     */
    void finding(Finding finding, long micros);

    /**
     * The state of the judge for a deployment after all steps before a full hour.
     *
     * @param micros that hour
     * @param state asked for its bytes only where they are kept, and only during the call
     */
    default void checkpoint(String deployment, long micros, Supplier<byte[]> state) {}

    /** A well-formed record that cannot be used. */
    void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload);
  }

  /**
   * @param sourcePartitions how many partitions of requests and scores will be fed; 1 for files
   * @param eventPartitions how many partitions of serving events will be fed; 1 for files
   * @param judges makes the judge
   */
  public ReplayCore(
      int sourcePartitions,
      int eventPartitions,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      Listener listener,
      Tally tally) {
    this.stage2 =
        new JudgeStage(
            eventPartitions,
            settings,
            layouts,
            judges,
            new JudgeStage.Output() {
              @Override
              public void window(WindowSummary window) {
                listener.window(window);
              }

              @Override
              public void correction(Correction correction) {
                listener.correction(correction);
              }

              @Override
              public void finding(Finding finding, long micros) {
                listener.finding(finding, micros);
              }

              @Override
              public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
                listener.checkpoint(deployment, micros, state);
              }

              @Override
              public void failed(String deployment, long micros, RuntimeException why) {
                // The counters of a replay tell it.
              }

              @Override
              public void rejected(
                  Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
                listener.rejected(why, origin, payload);
              }
            },
            StateJournal.NONE,
            tally);
    for (int i = 0; i < sourcePartitions; i++) {
      Between sink = new Between(listener);
      between.add(sink);
      partitions.add(
          new PartitionAggregator(i, sourcePartitions, settings, layouts, sink, tally, false));
    }
  }

  /** Keeps what a partition gives until the judge takes it. */
  private final class Between implements PaneSink {
    private final Listener listener;
    private final List<Runnable> given = new ArrayList<>();

    Between(Listener listener) {
      this.listener = listener;
    }

    void handOver() {
      given.forEach(Runnable::run);
      given.clear();
    }

    @Override
    public void pane(PaneSummary summary) {
      given.add(() -> stage2.pane(summary));
    }

    @Override
    public void watermark(Watermark watermark) {
      given.add(() -> stage2.pane(watermark));
    }

    @Override
    public void correction(Correction correction) {
      given.add(() -> stage2.pane(correction));
    }

    @Override
    public void rejected(
        Reading.Rejected why, String origin, byte @Nullable [] payload, long eventMicros) {
      given.add(() -> listener.rejected(why, origin, payload));
    }
  }

  /** Takes the next record of a partition; partitions may be fed in any interleaving. */
  public void accept(
      int partition,
      Channel channel,
      SpecificRecord event,
      String origin,
      byte @Nullable [] payload) {
    collect(partition, channel, event, origin, payload);
    between.get(partition).handOver();
  }

  /**
   * The same without the judge, for {@link #judge} to follow. Different partitions may be fed by
   * different threads at a time.
   */
  void collect(
      int partition,
      Channel channel,
      SpecificRecord event,
      String origin,
      byte @Nullable [] payload) {
    partitions.get(partition).accept(channel, event, origin, payload);
  }

  /** Keeps a record of a partition that cannot be read among what it gives; as {@link #collect}. */
  void collectRejected(
      int partition, Reading.Rejected why, String origin, byte @Nullable [] payload) {
    between.get(partition).rejected(why, origin, payload, 0);
  }

  /** Lets the judge take what the partitions have given, in their order. */
  void judge() {
    between.forEach(Between::handOver);
  }

  /**
   * Takes the next record of a partition of the serving-events topic: serving event, decision or
   * tick.
   */
  public void event(int partition, SpecificRecord event, String origin) {
    stage2.event(partition, event, origin);
  }

  /**
   * Event time that a partition of the serving-events topic has reached, {@code Long.MIN_VALUE}
   * before its first tick. Microseconds.
   */
  public long eventClockMicros(int partition) {
    return stage2.eventClockMicros(partition);
  }

  /** Lets the judge begin at a time: it takes no step before it. Microseconds. */
  public void startAt(long micros) {
    stage2.startAt(micros);
  }

  /**
   * Lets the judge begin a deployment with a checkpoint of the live monitor.
   *
   * @param micros the hour of the checkpoint
   * @throws IllegalArgumentException when the state is of another version
   */
  public void startWith(String deployment, long micros, byte[] state) {
    stage2.startWith(deployment, micros, state);
  }

  /** After the last record of input that ends, such as files: judges all that is complete. */
  public void finish() {
    stage2.finish();
  }

  /**
   * Event time that a topic of a partition has reached, {@code Long.MIN_VALUE} before its first
   * record. Microseconds.
   */
  public long clockMicros(int partition, Channel channel) {
    return partitions.get(partition).clockMicros(channel);
  }
}
