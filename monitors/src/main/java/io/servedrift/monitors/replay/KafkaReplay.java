package io.servedrift.monitors.replay;

import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.time.Instant;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/** A {@link RangeReplay} of the topics of a broker, in one call. Not thread-safe. */
public final class KafkaReplay {
  private final RangeReplay replay;

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
    this.replay =
        new RangeReplay(
            new KafkaSource(consumer, topics, settings),
            topics,
            settings,
            layouts,
            judges,
            reader,
            tally);
  }

  /**
   * Reads the range and sends every window and finding that lies inside it.
   *
   * @param from start of the range, null for the first record
   * @param to end of the range, null for what the topics hold now
   * @param state what the judge knows at the start of the range; nothing of it is used when the
   *     range begins with the first record
   * @param progress called with the number of records read so far, now and then
   * @throws IllegalStateException when the topics are missing or not co-partitioned
   */
  public RangeReplay.Result run(
      @Nullable Instant from,
      @Nullable Instant to,
      Checkpoints state,
      ReplayCore.Listener listener,
      LongConsumer progress) {
    return replay
        .progress((done, total) -> progress.accept(done))
        .run(ReplayRange.of(from, to), state, listener);
  }
}
