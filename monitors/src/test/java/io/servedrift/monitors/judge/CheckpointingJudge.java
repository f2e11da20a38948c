package io.servedrift.monitors.judge;

import io.servedrift.ingest.files.TickSchedule;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.schemas.EventTimes;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** A judge that is replaced by a new one from its checkpoint every so many panes. */
final class CheckpointingJudge implements StepTaker {
  private final Policy policy;
  private final Consumer<Finding> findings;
  private final int every;
  private Judge judge;
  private String deployment = "";
  private int panes;
  private int restarts;

  CheckpointingJudge(Policy policy, Consumer<Finding> findings, int every) {
    this.policy = policy;
    this.findings = findings;
    this.every = every;
    judge = fresh();
  }

  private Judge fresh() {
    return new Judge(
        policy,
        PaneSettings.defaults(),
        new MetricLayouts(),
        ConfigAxes.UNKNOWN,
        findings::accept,
        new Tally());
  }

  int restarts() {
    return restarts;
  }

  byte[] state() {
    return judge.checkpoint(deployment);
  }

  @Override
  public void pane(MergedPane pane) {
    deployment = pane.deployment();
    judge.pane(pane);
    if (++panes % every == 0) {
      byte[] state = judge.checkpoint(deployment);
      judge = fresh();
      judge.restore(deployment, state);
      restarts++;
    }
  }

  @Override
  public void event(ServingEvent event) {
    judge.event(event);
  }

  @Override
  public void decision(Decision decision) {
    judge.decision(decision);
  }

  @Override
  public void eval(EvalResult eval) {
    judge.eval(eval);
  }

  @Override
  public byte[] checkpoint(String of) {
    return judge.checkpoint(of);
  }

  @Override
  public void restore(String of, byte[] checkpoint) {
    judge.restore(of, checkpoint);
  }

  @Override
  public void forget(String of) {
    judge.forget(of);
  }

  /** Gives each judge the panes of the same events. */
  static void feed(List<? extends SpecificRecord> events, List<CheckpointingJudge> judges) {
    for (CheckpointingJudge one : judges) {
      PaneSettings settings = PaneSettings.defaults();
      ReplayCore core =
          new ReplayCore(
              1,
              1,
              settings,
              new MetricLayouts(),
              (findings, tally) -> one,
              new Silent(),
              new Tally());
      TickSchedule ticks =
          new TickSchedule(
              settings.pane(), settings.grace(), settings.scoreGrace(), settings.horizon());
      for (SpecificRecord event : events) {
        ticks.before(EventTimes.of(event)).forEach(at -> tick(core, new Tick(at)));
        if (event instanceof RequestEvent) {
          core.accept(0, Channel.REQUESTS, event, "test", null);
        } else {
          core.event(0, event, "test");
        }
      }
      ticks.end().forEach(at -> tick(core, new Tick(at)));
      core.finish();
    }
  }

  private static void tick(ReplayCore core, Tick tick) {
    core.accept(0, Channel.REQUESTS, tick, "tick", null);
    core.accept(0, Channel.SCORES, tick, "tick", null);
    core.event(0, tick, "tick");
  }

  private static final class Silent implements ReplayCore.Listener {
    @Override
    public void window(WindowSummary window) {}

    @Override
    public void correction(Correction correction) {}

    @Override
    public void finding(Finding finding, long micros) {}

    @Override
    public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
      throw new IllegalStateException(origin + ": " + why);
    }
  }
}
