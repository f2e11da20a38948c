package io.servedrift.monitors.judge;

import io.servedrift.monitors.pane.DeploymentAggregator;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.StateJournal;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.pane.UnusablePaneException;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.PaneKind;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;

/**
 * Stage 2 as a whole: panes are merged and rolled into windows, merged panes and serving events are
 * brought into one order, and the judge takes them. The live topology has one per task, a replay
 * one for everything. Pure: what comes out is a function of the records and of the offset order
 * within each partition. Not thread-safe.
 */
public final class JudgeStage {
  private static final Duration CHECKPOINT_EVERY = Duration.ofHours(1);

  private final DeploymentAggregator aggregator;
  private final long windowMicros;
  private long windowsClosedMicros = Long.MIN_VALUE;
  private final JudgeSequencer sequencer;
  private final JudgeLog log;

  /** What comes out, in order. */
  public interface Output {
    /** A closed window. */
    void window(WindowSummary window);

    /** A record that came too late for its pane. */
    void correction(Correction correction);

    /**
     * Every shortest window that ends at or before {@code micros}, of durations and scores alike,
     * has been given. Said once for each end of such a window, also while there is no data.
     */
    default void windowsClosed(long micros) {}

    /**
     * A finding that opened, changed its verdict, or closed.
     *
     * @param micros event time at which that was decided: {@code detected_at} when it opens
     */
    void finding(Finding finding, long micros);

    /**
     * The state of the judge for a deployment after all steps before a full hour of event time.
     *
     * @param micros that hour
     * @param state asked for its bytes only where they are kept
     */
    void checkpoint(String deployment, long micros, Supplier<byte[]> state);

    /**
     * The judge failed on a step, which gives nothing: a defect. The deployment begins anew.
     * Counted as {@code judge_failures}.
     *
     * @param micros event time of the step
     */
    void failed(String deployment, long micros, RuntimeException why);

    /**
     * A well-formed record of the serving-events topic that cannot be used.
     *
     * @param payload the record, encoded
     * @param eventMicros its event time
     */
    void rejected(Reading.Rejected why, String origin, byte[] payload, long eventMicros);
  }

  /**
   * @param eventLanes how many partitions of the serving-events topic will be fed
   * @param judges makes the judge
   */
  public JudgeStage(
      int eventLanes,
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      Output output,
      StateJournal journal,
      Tally tally) {
    this.windowMicros = settings.windows().get(0).toNanos() / 1000;
    this.log = new JudgeLog(judges, CHECKPOINT_EVERY, fromLog(output), journal, tally);
    this.sequencer =
        new JudgeSequencer(
            eventLanes,
            settings,
            new JudgeSequencer.Output() {
              @Override
              public void step(JudgeLog.Logged step) {
                log.take(step);
              }

              @Override
              public void rejected(
                  Reading.Rejected why, String origin, byte[] payload, long eventMicros) {
                output.rejected(why, origin, payload, eventMicros);
              }
            },
            journal,
            tally);
    this.aggregator =
        new DeploymentAggregator(settings, layouts, toSequencer(output), journal, tally);
  }

  private static JudgeLog.Output fromLog(Output output) {
    return new JudgeLog.Output() {
      @Override
      public void finding(Finding finding, long micros) {
        output.finding(finding, micros);
      }

      @Override
      public void failed(String deployment, long micros, RuntimeException why) {
        output.failed(deployment, micros, why);
      }

      @Override
      public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
        output.checkpoint(deployment, micros, state);
      }
    };
  }

  private DeploymentAggregator.Output toSequencer(Output output) {
    return new DeploymentAggregator.Output() {
      @Override
      public void pane(MergedPane pane) {
        sequencer.pane(pane);
      }

      @Override
      public void passed(PaneKind kind, long micros) {
        sequencer.passed(kind, micros);
        // Panes of scores close last.
        long closed = Math.floorDiv(micros, windowMicros) * windowMicros;
        if (kind == PaneKind.SCORE && closed > windowsClosedMicros) {
          windowsClosedMicros = closed;
          output.windowsClosed(closed);
        }
      }

      @Override
      public void window(WindowSummary window) {
        output.window(window);
      }

      @Override
      public void correction(Correction correction) {
        output.correction(correction);
      }
    };
  }

  /**
   * Takes the next record of the panes topic.
   *
   * @throws UnusablePaneException when it is nothing that stage 1 writes, or does not fit the
   *     settings; nothing has changed then
   */
  public void pane(SpecificRecord record) {
    aggregator.accept(record);
  }

  /**
   * Takes the next record of a partition of the serving-events topic; what has no place there goes
   * to {@link Output#rejected}.
   *
   * @param lane number of the partition, from 0
   * @param origin where the record stands, for dead letters
   */
  public void event(int lane, SpecificRecord event, String origin) {
    sequencer.event(lane, event, origin);
  }

  /**
   * Event time that a partition of the serving-events topic has reached, microseconds; {@code
   * Long.MIN_VALUE} before its first tick.
   */
  public long eventClockMicros(int lane) {
    return sequencer.clockMicros(lane);
  }

  /**
   * After the last record of all input: judges the panes that are complete and still wait for
   * serving events. Only for input that ends, such as files.
   */
  public void finish() {
    sequencer.finish();
  }

  /**
   * Lets the judge begin at a time: it takes no step before it.
   *
   * @param micros event time
   */
  public void startAt(long micros) {
    log.startAt(micros);
  }

  /**
   * Lets the judge begin a deployment with a checkpoint: it takes no step before it.
   *
   * @param micros the hour of the checkpoint
   * @throws IllegalArgumentException when the state is of another version
   */
  public void startWith(String deployment, long micros, byte[] state) {
    log.startWith(deployment, micros, state);
  }

  /**
   * Brings an empty stage to the state that its journal describes.
   *
   * @param journal all records by key
   */
  public void restore(SortedMap<String, byte[]> journal) {
    SortedMap<String, byte[]> rest = new TreeMap<>();
    journal.forEach(
        (key, value) -> {
          if (key.startsWith(JudgeSequencer.PREFIX)) {
            sequencer.restore(key, value);
          } else if (key.startsWith(JudgeLog.PREFIX)) {
            log.restore(key, value);
          } else {
            rest.put(key, value);
          }
        });
    aggregator.restore(rest);
    log.repeat(sequencer.restored());
  }

  /**
   * Takes what waits here out of the levels of the tally, and what the judge holds out of sight:
   * another owner will count and show it again.
   */
  public void close() {
    sequencer.close();
    log.close();
  }
}
