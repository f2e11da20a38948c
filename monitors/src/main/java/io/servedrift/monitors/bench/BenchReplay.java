package io.servedrift.monitors.bench;

import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.RangeAggregator;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.monitors.replay.RecordSource;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.replay.ReplayRange;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import org.jspecify.annotations.Nullable;

/** A replay of everything, with default policy and settings, as the command does it. Used once. */
final class BenchReplay {
  private final Topics topics;
  private final Tally tally = new Tally();
  private RangeReplay.Progress progress = (done, total) -> {};

  BenchReplay(Topics topics) {
    this.topics = topics;
  }

  /** Tells how far it is. */
  BenchReplay progress(RangeReplay.Progress listener) {
    progress = listener;
    return this;
  }

  /**
   * Replays all records of a source on one thread.
   *
   * @return how many there are
   */
  long run(RecordSource source) {
    PaneSettings settings = PaneSettings.defaults();
    return new RangeReplay(
            source,
            topics,
            settings,
            new MetricLayouts(),
            Judge.maker(Policy.defaults(), settings, new MetricLayouts(), ConfigAxes.UNKNOWN),
            new EventReader(),
            tally)
        .progress(progress)
        .run(
            ReplayRange.of(null, null),
            Checkpoints.NONE,
            new Whole(new RangeAggregator(settings.windows().get(0))))
        .records();
  }

  /** Panes of all deployments that were judged. */
  long panes() {
    return tally.get("panes_merged");
  }

  /** Merges the range, as the command does. */
  private record Whole(RangeAggregator range) implements ReplayCore.Listener {
    @Override
    public void window(WindowSummary window) {
      range.add(window);
    }

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {}

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {}
  }
}
