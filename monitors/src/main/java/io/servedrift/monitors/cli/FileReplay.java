package io.servedrift.monitors.cli;

import io.servedrift.ingest.files.FileEvent;
import io.servedrift.ingest.files.SortedEvents;
import io.servedrift.ingest.files.TickSchedule;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.replay.Checkpoints;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;

/**
 * Replays files: their events in order of event time through the core as one partition, with the
 * very ticks that an import would have written, so that a file and its import give the same windows
 * and findings. Not thread-safe.
 */
final class FileReplay {
  private static final int PROGRESS_RECORDS = 10_000;

  private final ReplayCore core;
  private final Tally tally;
  private final TickSchedule ticks;
  private Predicate<SpecificRecord> filter = event -> true;
  private BooleanSupplier stopped = () -> false;
  private long judged;
  private boolean partial;

  FileReplay(
      PaneSettings settings,
      MetricLayouts layouts,
      StepTaker.Maker judges,
      ReplayCore.Listener listener,
      Tally tally) {
    this.tally = tally;
    this.core = new ReplayCore(1, 1, settings, layouts, judges, listener, tally);
    this.ticks =
        new TickSchedule(
            settings.pane(), settings.grace(), settings.scoreGrace(), settings.horizon());
  }

  /** Leaves out events, as if they were not in the files. */
  FileReplay filter(Predicate<SpecificRecord> wanted) {
    filter = wanted;
    return this;
  }

  /** Lets the judge begin with these; it takes no step before them. */
  FileReplay startFrom(Checkpoints state) {
    tally.add("checkpoints_dropped", state.start(core));
    return this;
  }

  /** Ends the replay early once this says so. */
  FileReplay stopWhen(BooleanSupplier condition) {
    stopped = condition;
    return this;
  }

  /** Requests and scores fed. */
  long judged() {
    return judged;
  }

  /** Whether it was stopped before the last event. */
  boolean partial() {
    return partial;
  }

  /**
   * Feeds all events.
   *
   * @param progress called with the number of events so far, now and then
   * @return how many events were fed
   */
  long run(SortedEvents events, LongConsumer progress) {
    long fed = 0;
    for (FileEvent item : events) {
      if (stopped.getAsBoolean()) {
        partial = true;
        return fed;
      }
      SpecificRecord event = item.event();
      if (filter.test(event)) {
        feed(item, event);
      }
      if (++fed % PROGRESS_RECORDS == 0) {
        progress.accept(fed);
      }
    }
    tick(ticks.end());
    core.finish();
    progress.accept(fed);
    return fed;
  }

  private void feed(FileEvent item, SpecificRecord event) {
    if (event instanceof ServingEvent
        || event instanceof Decision
        || (event instanceof EvalResult eval && eval.getDeployment() != null)) {
      tick(ticks.before(item.at()));
      core.event(0, event, item.origin());
    } else if (event instanceof RequestEvent
        || event instanceof ScoreEvent
        || event instanceof Heartbeat) {
      tick(ticks.before(item.at()));
      judged += event instanceof Heartbeat ? 0 : 1;
      Channel channel = event instanceof ScoreEvent ? Channel.SCORES : Channel.REQUESTS;
      core.accept(0, channel, event, item.origin(), item.encoded());
    }
  }

  private void tick(List<Instant> due) {
    for (Instant at : due) {
      core.accept(0, Channel.REQUESTS, new Tick(at), "tick", null);
      core.accept(0, Channel.SCORES, new Tick(at), "tick", null);
      core.event(0, new Tick(at), "tick");
    }
  }
}
