package io.servedrift.monitors.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.servedrift.ingest.files.TickSchedule;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.testkit.Scenario;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.Tick;
import io.servedrift.schemas.avro.WindowSummary;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** A scenario through the whole core with a recorder beside it, as a replay of a file does it. */
final class RecordedRun implements ReplayCore.Listener {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PaneSettings SETTINGS = PaneSettings.defaults();
  private static final MetricLayouts LAYOUTS = new MetricLayouts();

  private final RunRecorder recorder = new RunRecorder(LAYOUTS, any -> true);
  private final ReplayCore core =
      new ReplayCore(
          1,
          1,
          SETTINGS,
          LAYOUTS,
          recorder.watching(Judge.maker(Policy.defaults(), SETTINGS, LAYOUTS, ConfigAxes.UNKNOWN)),
          this,
          new Tally());
  private final TickSchedule ticks =
      new TickSchedule(
          SETTINGS.pane(), SETTINGS.grace(), SETTINGS.scoreGrace(), SETTINGS.horizon());

  /** What was recorded of a scenario. */
  static RunRecorder of(Scenario scenario) {
    RecordedRun run = new RecordedRun();
    scenario.run(run::accept);
    run.ticks.end().forEach(run::tick);
    run.core.finish();
    return run.recorder;
  }

  private void accept(SpecificRecord event) {
    if (event instanceof RequestEvent request) {
      ticks.before(request.getFinishedAt()).forEach(this::tick);
      core.accept(0, Channel.REQUESTS, request, "test", null);
    } else if (event instanceof ScoreEvent score) {
      ticks.before(score.getScoredAt()).forEach(this::tick);
      core.accept(0, Channel.SCORES, score, "test", null);
    } else if (event instanceof ServingEvent serving) {
      ticks.before(serving.getAt()).forEach(this::tick);
      core.event(0, serving, "test");
    }
  }

  private void tick(Instant at) {
    core.accept(0, Channel.REQUESTS, new Tick(at), "tick", null);
    core.accept(0, Channel.SCORES, new Tick(at), "tick", null);
    core.event(0, new Tick(at), "tick");
  }

  @Override
  public void window(WindowSummary window) {
    recorder.window(window);
  }

  @Override
  public void correction(Correction correction) {}

  @Override
  public void finding(Finding finding, long micros) {
    try {
      recorder.finding(
          JSON.readTree(finding.getBody()), Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the body of a finding is JSON", e);
    }
  }

  @Override
  public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
    throw new IllegalStateException(origin + ": " + why);
  }

  /** Facts of a run that are the same for every test. */
  static RunFacts facts(OutputLinks links, Map<String, String> names) {
    return new RunFacts(
        Instant.parse("2026-11-30T12:00:00Z"),
        false,
        "./servedrift replay --file traffic.ndjson --report report",
        Map.of("servedrift", "0.1.0", "java", "17"),
        Policy.defaults(),
        Map.of("pane", "60s (command line)"),
        JsonNodeFactory.instance.objectNode().put("records", 12),
        id -> names.getOrDefault(id, id),
        links);
  }
}
