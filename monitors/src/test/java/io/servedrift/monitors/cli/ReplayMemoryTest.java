package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.ingest.files.TickSchedule;
import io.servedrift.monitors.judge.ConfigAxes;
import io.servedrift.monitors.judge.Judge;
import io.servedrift.monitors.pane.Channel;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.PaneSettings;
import io.servedrift.monitors.pane.Tally;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.report.OutputLinks;
import io.servedrift.monitors.report.RunRecorder;
import io.servedrift.monitors.testkit.LiveObjects;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import io.servedrift.schemas.avro.Tick;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a replay holds does not grow with the range, once baselines are complete. */
class ReplayMemoryTest {
  private static final PaneSettings SETTINGS =
      new PaneSettings(
          Duration.ofMinutes(10),
          List.of(Duration.ofMinutes(30), Duration.ofHours(6), Duration.ofHours(24)),
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          Duration.ofMinutes(15),
          Duration.ofSeconds(60),
          10_000,
          200,
          400,
          32);
  private static final MetricLayouts LAYOUTS = new MetricLayouts();
  private static final int DAYS = 48;

  /** A configuration serves so long, and is forgotten eight days after. */
  private static final int DAYS_OF_CONFIG = 4;

  private final RunRecorder recorder = new RunRecorder(LAYOUTS, any -> true);
  private final ReplayOutput output =
      new ReplayOutput(
          SETTINGS.windows().get(0),
          any -> true,
          any -> true,
          null,
          null,
          null,
          Instant.EPOCH,
          false);
  private final ReplayCore core =
      new ReplayCore(
          1,
          1,
          SETTINGS,
          LAYOUTS,
          recorder.watching(Judge.maker(Policy.defaults(), SETTINGS, LAYOUTS, ConfigAxes.UNKNOWN)),
          new ReplayReport(Path.of("report"), OutputLinks.NONE, recorder)
              .beside(output, any -> true, any -> true),
          new Tally());
  private final TickSchedule ticks =
      new TickSchedule(
          SETTINGS.pane(), SETTINGS.grace(), SETTINGS.scoreGrace(), SETTINGS.horizon());

  @Test
  void holdsAsMuchAtTheEndOfALongRange_asAfterAThirdOfIt() {
    SteadyTraffic traffic = new SteadyTraffic(1, 1);
    LiveObjects third = null;
    for (int day = 0; day < DAYS; day++) {
      if (day % DAYS_OF_CONFIG == 0) {
        String config = "c0ffee%010d".formatted(day);
        traffic.config(config);
        change(traffic.now(), config);
      }
      SteadyTraffic.Shape shape = new SteadyTraffic.Shape();
      // Findings open and close: every second day is slow, and its hits look worse.
      shape.latency = day % 2 == 0 ? 1 : 1.8;
      shape.hitScore = day % 2 == 0 ? 0 : -.02;
      for (int hour = 0; hour < 24; hour++) {
        traffic.run(Duration.ofHours(1), shape);
        traffic.take().forEach(this::accept);
      }
      if (day == DAYS / 3) {
        third = LiveObjects.now();
      }
    }
    LiveObjects end = LiveObjects.now();

    assertThat(output.findings()).hasSizeGreaterThan(20);
    for (Map.Entry<String, Long> one : end.counts().entrySet()) {
      if (one.getValue() > 800) System.err.println(one + " " + third.counts().get(one.getKey()));
    }
    System.err.println(output.findings().size() + " " + third.ofProduct() + " " + end.ofProduct());
  }

  private void accept(RequestEvent request) {
    ticks.before(request.getFinishedAt()).forEach(this::tick);
    core.accept(0, Channel.REQUESTS, request, "test", null);
  }

  private void change(Instant at, String config) {
    ticks.before(at).forEach(this::tick);
    ServingEvent event = new ServingEvent();
    event.setEventId("e-" + config);
    event.setAt(at);
    event.setDeployment("image-gen");
    event.setKind(ServingEventKind.CONFIG_CHANGED);
    event.setAttributes(Map.of());
    core.event(0, event, "test");
  }

  private void tick(Instant at) {
    core.accept(0, Channel.REQUESTS, new Tick(at), "tick", null);
    core.accept(0, Channel.SCORES, new Tick(at), "tick", null);
    core.event(0, new Tick(at), "tick");
  }
}
