package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.pane.MetricLayouts;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.testkit.FaultLibrary;
import io.servedrift.monitors.testkit.Scenario;
import io.servedrift.monitors.testkit.SimulatorSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** From events through both pane stages to the verdict. */
class FaultAttributionTest {
  private static final Duration ONSET = Duration.ofMinutes(90);
  private static final Duration WINDOW = Duration.ofMinutes(30);

  private static SimulatorSettings images() {
    return SimulatorSettings.image(1, ONSET.plus(WINDOW).plusMinutes(5)).steady();
  }

  private static Attribution explained(io.servedrift.monitors.testkit.Fault fault) {
    Scenario scenario = Scenario.of(images(), fault);
    PaneRun run = PaneRun.of(scenario, Set.of("clip"));
    return FaultTester.explain(scenario, WINDOW, run).stream()
        .filter(e -> e.metric().equals("clip"))
        .findFirst()
        .orElseThrow()
        .attribution();
  }

  @Test
  void saysCache_whenHitsLoseScore() {
    Attribution found = explained(FaultLibrary.cacheHitsLoseClip(ONSET, .02));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CACHE);
    assertThat(found.verdict().where()).containsEntry("cache", "hit");
    assertThat(found.nextTest().what()).contains("cache off");
    assertThat(found.nextTest().command()).startsWith("servedrift gate");
  }

  @Test
  void saysNode_whenOneNodeLosesScore() {
    Attribution found = explained(FaultLibrary.nodeLosesClip(ONSET, 1, .04));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.NODE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("node", "gpu-1"));
  }

  @Test
  void saysBatching_whenOnlyThoseLoseScoreThatOthersJoined() {
    Attribution found = explained(FaultLibrary.joinedMidwayLosesClip(ONSET, .02));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.BATCHING);
    assertThat(found.verdict().where()).isEqualTo(Map.of("composition", "joined"));
  }

  @Test
  void saysModel_whenAllLoseScoreUnderAnotherModel() {
    Attribution found = explained(FaultLibrary.modelChanges(ONSET, "clip", .01));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.MODEL);
  }

  @Test
  void saysScheduling_whenRequestsStallThatNeverStalled() {
    Scenario scenario = Scenario.of(images(), FaultLibrary.stepsStall(ONSET, .03, 1));
    PaneRun run = PaneRun.of(scenario, Set.of("latency"));
    for (FaultTester.Explained explained : FaultTester.explain(scenario, WINDOW, run)) {
      Attribution found = explained.attribution();
      assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.SCHEDULING);
    }
  }

  @Test
  void saysCacheWithLoad_whenLoadEvictsAndMissesWereAlwaysWorse() {
    SimulatorSettings tight = images().withLoad(3, 3).withCache(2048L << 20, 350L << 20);
    Scenario scenario = Scenario.of(tight, FaultLibrary.loadEvicts(ONSET, 2, .1));
    PaneRun run = PaneRun.of(scenario, Set.of("clip"));
    SeriesKey key =
        run.series().stream().filter(k -> !k.configId().equals(SeriesKey.ALL)).findFirst().get();
    List<CellPane> before = run.panes(key, tight.start(), scenario.onset());
    Baseline baseline =
        BaselineLearner.learn(
            FamilySpec.scoreMean(), new MetricLayouts().layoutOf("clip"), before, 60_000_000);
    List<CellPane> now = run.panes(key, scenario.onset(), scenario.end());
    Attribution found =
        attribution(ReferenceCubes.of(baseline, before), now, Measure.scoreMean().adjusted(-1));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CACHE);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EXPOSURE);
    assertThat(found.contributing())
        .extracting(Attribution.Contribution::cause)
        .contains(Cause.LOAD);
    assertThat(found.verdict().why()).contains("at a load above all that the reference saw");
  }

  @Test
  void isAFunctionOfTheSetOfPanes_andSurvivesStorage() {
    Scenario scenario = Scenario.of(images(), FaultLibrary.cacheHitsLoseClip(ONSET, .02));
    PaneRun run = PaneRun.of(scenario, Set.of("clip"));
    SeriesKey key =
        run.series().stream().filter(k -> !k.configId().equals(SeriesKey.ALL)).findFirst().get();
    List<CellPane> before =
        new ArrayList<>(run.panes(key, scenario.settings().start(), scenario.onset()));
    List<CellPane> now = new ArrayList<>(run.panes(key, scenario.onset(), scenario.end()));
    Baseline baseline =
        BaselineLearner.learn(
            FamilySpec.scoreMean(), new MetricLayouts().layoutOf("clip"), before, 60_000_000);
    ReferenceCubes cubes = ReferenceCubes.of(baseline, before);
    assertThat(unseenLoad(cubes, now, 1.04)).isZero();
    assertThat(unseenLoad(cubes, now, 1.3)).isEqualTo(1);
    String expected = text(cubes, now);
    Collections.shuffle(before, new Random(1));
    Collections.shuffle(now, new Random(2));
    assertThat(text(ReferenceCubes.of(baseline, before), now)).isEqualTo(expected);
    Content.Writer out = new Content.Writer();
    cubes.write(out);
    assertThat(out.bytes()).hasSizeLessThan(2_000_000);
    ReferenceCubes read = ReferenceCubes.read(new Content.Reader(out.bytes()), baseline);
    assertThat(text(read, now)).isEqualTo(expected);
  }

  /** Share at loads not seen, when all panes have a multiple of the highest load. */
  private static double unseenLoad(ReferenceCubes cubes, List<CellPane> window, double times) {
    double load = times * cubes.keys().loads().highest();
    List<CellPane> loaded =
        window.stream()
            .map(p -> new CellPane(p.startMicros(), load, p.cells(), p.margins()))
            .toList();
    return attribution(cubes, loaded, Measure.scoreMean()).split().unseenLoad();
  }

  private static String text(ReferenceCubes cubes, List<CellPane> window) {
    return attribution(cubes, window, Measure.scoreMean().adjusted(-1)).toString();
  }

  private static Attribution attribution(
      ReferenceCubes cubes, List<CellPane> window, Measure measure) {
    AttributionInput input =
        AttributionFeed.input(
            cubes,
            cubes.views().get(0),
            window,
            measure,
            AttributionInput.Basis.SAME_CONFIGURATION,
            Changes.NONE,
            Map.of());
    return new Attributor().attribute(input);
  }
}
