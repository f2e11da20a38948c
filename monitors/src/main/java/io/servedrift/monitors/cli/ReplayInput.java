package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.PinnedRange;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.RangeReplay;
import io.servedrift.monitors.replay.RecordSource;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.replay.ReplayRange;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Topics;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What every source of a replay needs.
 *
 * @param context the process
 * @param settings the settings in force
 * @param policy what is judged by
 * @param options range, filters and state
 * @param output takes what the replay gives
 * @param report made beside it, null for none
 */
record ReplayInput(
    CommandContext context,
    Settings settings,
    Policy policy,
    ReplayOptions options,
    ReplayOutput output,
    @Nullable ReplayReport report) {

  /** Makes the judge. */
  StepTaker.Maker judges(ConfigAxes axes) {
    StepTaker.Maker judges = JudgeOptions.of(policy, settings, axes);
    return report == null ? judges : report.watching(judges);
  }

  /** Takes what the replay gives, for the output and the report. */
  ReplayCore.Listener listener() {
    return report == null ? output : report.beside(output, options::shows, options::shows);
  }

  /** A replay of records, from Kafka or an archive of it. */
  RangeReplay of(
      RecordSource source, Topics topics, ConfigNames names, EventReader reader, Tally tally) {
    return new RangeReplay(
            source,
            topics,
            PaneOptions.of(settings),
            PaneOptions.layouts(settings),
            judges(names.axes()),
            reader,
            tally)
        .threads(Runtime.getRuntime().availableProcessors())
        .filter(options.events());
  }

  /** Runs it, until the end of the range or a signal. */
  RangeReplay.Result run(
      RangeReplay replay, @Nullable Instant from, @Nullable Instant to, Checkpoints state) {
    PinnedRange pinned = options.pinned();
    try (StopSignal signal = StopSignal.installForWork();
        Progress progress = context.progress("replaying")) {
      return replay
          .stopWhen(signal::isStopped)
          .progress(progress::update)
          .run(new ReplayRange(from, to, pinned == null ? null : pinned.from()), state, listener());
    }
  }
}
