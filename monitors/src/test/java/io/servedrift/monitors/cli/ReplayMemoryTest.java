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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a replay holds does not grow with the range, once baselines are complete. */
class ReplayMemoryTest {
  private static final PaneSettings SETTINGS =
      new PaneSettings(
          Duration.ofMinutes(15),
          List.of(Duration.ofMinutes(30), Duration.ofHours(6), Duration.ofHours(24)),
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          Duration.ofMinutes(20),
          Duration.ofSeconds(60),
          10_000,
          200,
          400,
          32);
  private static final MetricLayouts LAYOUTS = new MetricLayouts();
  private static final int DAYS = 36;

  /** A configuration serves so long, and is forgotten eight days after it. */
  private static final int DAYS_OF_CONFIG = 4;

  private final SteadyTraffic traffic = new SteadyTraffic(1, 1);
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
  void holdsNoMoreAtTheEndOfALongRange_thanAfterAThirdOfIt() {
    LiveObjects third = run(0, DAYS / 3, healthy -> {});
    LiveObjects end = run(DAYS / 3, DAYS, healthy -> {});
    assertThat(rest(third)).isPositive();
    assertThat(rest(end)).isLessThanOrEqualTo(rest(third) * 11 / 10);
    requireBounds(end);
  }

  @Test
  void forgetsConfigurationsThatAreGone() {
    LiveObjects end = run(0, DAYS, this::eventful);
    assertThat(output.findings().size()).isGreaterThan(20);
    // Nine configurations served; those of the last twelve days are held, and the whole.
    long metrics = 3;
    for (String one : List.of("judge.SeriesJudge", "report.CellHistory")) {
      assertThat(end.of("io.servedrift.monitors." + one))
          .as(one)
          .isBetween(metrics * 2, metrics * 5);
    }
    requireBounds(end);
  }

  /** Rings that are still filling after a third of the range, each with a limit of its own. */
  private static void requireBounds(LiveObjects held) {
    assertThat(held.of("io.servedrift.monitors.detection.History$Block"))
        .isLessThanOrEqualTo(256 * held.of("io.servedrift.monitors.detection.History"));
    // Single panes, tens of them and sixties.
    assertThat(held.of("io.servedrift.monitors.report.CellSlot"))
        .isLessThanOrEqualTo(
            (60 + 72 + 168) * held.of("io.servedrift.monitors.report.CellHistory"));
    // Each sixteen of a level are one of the next; 1728 windows of a series have three levels.
    assertThat(held.of("io.servedrift.monitors.pane.TailSketch"))
        .isLessThanOrEqualTo(3 * 15 * held.of("io.servedrift.monitors.pane.SketchTree") + 1);
  }

  /** Objects of this product that are in none of those rings. */
  private static long rest(LiveObjects held) {
    long all = held.under("io.servedrift.");
    for (String ring :
        List.of(
            "detection.History$Block",
            "report.CellSlot",
            "report.Bins",
            "stats.Moments",
            "pane.TailSketch")) {
      all -= held.under("io.servedrift.monitors." + ring);
    }
    return all;
  }

  /** A configuration that lasts four days, whose last day is slow and bad: findings come and go. */
  private void eventful(SteadyTraffic.Shape shape) {
    int day = (int) Duration.between(SteadyTraffic.START, traffic.now()).toDays();
    if (day % DAYS_OF_CONFIG == 0) {
      String config = "c0ffee%010d".formatted(day);
      traffic.config(config);
      change(traffic.now(), config);
    }
    if (day % DAYS_OF_CONFIG >= 2) {
      shape.latency = 1.8;
      shape.hitScore = -.02;
    }
  }

  private LiveObjects run(int fromDay, int toDay, Consumer<SteadyTraffic.Shape> day) {
    for (int number = fromDay; number < toDay; number++) {
      SteadyTraffic.Shape shape = new SteadyTraffic.Shape();
      day.accept(shape);
      for (int hour = 0; hour < 24; hour++) {
        traffic.run(Duration.ofHours(1), shape);
        traffic.take().forEach(this::accept);
      }
    }
    return LiveObjects.now();
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
