package io.servedrift.monitors.testkit;

import io.servedrift.ingest.files.TickSchedule;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Events through the whole core, stage 1 and 2, as a replay of a file would do it. Not thread-safe.
 */
public final class JudgedRun {
  /** Judges under the default policy. */
  public static final StepTaker.Maker BY_DEFAULT =
      Judge.maker(
          Policy.defaults(), PaneSettings.defaults(), new MetricLayouts(), ConfigAxes.UNKNOWN);

  private final List<Finding> findings = new ArrayList<>();
  private final Tally tally = new Tally();
  private final ReplayCore core;
  private final TickSchedule ticks;

  /** Starts from nothing. */
  public JudgedRun(Policy policy, PaneSettings settings, MetricLayouts layouts) {
    this(policy, settings, layouts, new Judge.Audience() {});
  }

  /** Starts from nothing, and tells what is held of the series. */
  public JudgedRun(
      Policy policy, PaneSettings settings, MetricLayouts layouts, Judge.Audience audience) {
    core =
        new ReplayCore(
            1,
            1,
            settings,
            layouts,
            Judge.maker(policy, settings, layouts, ConfigAxes.UNKNOWN, audience),
            new ReplayCore.Listener() {
              @Override
              public void window(WindowSummary window) {}

              @Override
              public void correction(Correction correction) {}

              @Override
              public void finding(Finding finding, long micros) {
                findings.add(finding);
              }

              @Override
              public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
                throw new IllegalStateException(origin + ": " + why);
              }
            },
            tally);
    ticks =
        new TickSchedule(
            settings.pane(), settings.grace(), settings.scoreGrace(), settings.horizon());
  }

  /** The findings of a scenario under the default policy. */
  public static List<Finding> of(Scenario scenario) {
    JudgedRun run = new JudgedRun(Policy.defaults(), PaneSettings.defaults(), new MetricLayouts());
    scenario.run(run::accept);
    return run.finish();
  }

  /** Takes the next event, in the order of event time. */
  public void accept(SpecificRecord event) {
    if (event instanceof RequestEvent request) {
      tick(request.getFinishedAt());
      core.accept(0, Channel.REQUESTS, request, "test", null);
    } else if (event instanceof ScoreEvent score) {
      tick(score.getScoredAt());
      core.accept(0, Channel.SCORES, score, "test", null);
    } else if (event instanceof ServingEvent serving) {
      tick(serving.getAt());
      core.event(0, serving, "test");
    } else if (event instanceof Decision decision) {
      tick(decision.getAt());
      core.event(0, decision, "test");
    } else if (event instanceof EvalResult eval) {
      tick(eval.getAt());
      core.event(0, eval, "test");
    }
  }

  private void tick(Instant before) {
    ticks.before(before).forEach(this::tickAt);
  }

  private void tickAt(Instant at) {
    core.accept(0, Channel.REQUESTS, new Tick(at), "tick", null);
    core.accept(0, Channel.SCORES, new Tick(at), "tick", null);
    core.event(0, new Tick(at), "tick");
  }

  /**
   * After the last event: all findings, every version, in the order they were written.
   *
   * @throws IllegalStateException when the judge has failed on the way
   */
  public List<Finding> finish() {
    ticks.end().forEach(this::tickAt);
    core.finish();
    long failures = tally.get("judge_failures");
    if (failures > 0) {
      throw new IllegalStateException("the judge has failed " + failures + " times");
    }
    return List.copyOf(findings);
  }

  /** What was written so far. */
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** What was counted. */
  public Tally tally() {
    return tally;
  }
}
