package io.servedrift.monitors.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Scope;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.monitors.testkit.ReferenceTraffic;
import io.servedrift.monitors.testkit.ReferenceTraffic.Regime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ScopeTest {
  private static final int REFERENCE = 3 * 1440;
  private static final double ALERT = 1e6;
  private static final ReferenceTraffic TRAFFIC = ReferenceTraffic.of(31, 4, Regime.REAL, 20);

  private static FamilyDetector judged(Baseline baseline, List<CellPane> panes) {
    return DetectorFixtures.after(baseline, panes.subList(REFERENCE, panes.size()));
  }

  private static SimulatedSeries later(boolean latency, SimulatedSeries.Fault fault) {
    SimulatedSeries.Fault late =
        (minute, i, value) -> minute.index() < REFERENCE ? value : fault.value(minute, i, value);
    return latency
        ? SimulatedSeries.latency(TRAFFIC, TRAFFIC.minutes(), late)
        : SimulatedSeries.clip(TRAFFIC, TRAFFIC.minutes(), late);
  }

  @Test
  void acceptsTheUsualDay_whenMarginal() {
    FamilySpec spec = FamilySpec.durationMean().in(Scope.MARGINAL);
    Baseline baseline = SimulatedSeries.latency(TRAFFIC).baseline(spec, REFERENCE);
    assertThat(baseline.tracks()).hasSize(1);
    assertThat(baseline.classes().size()).isEqualTo(1);
    assertThat(Baseline.decode(baseline.encode()).id()).isEqualTo(baseline.id());
    assertThat(judged(baseline, SimulatedSeries.latency(TRAFFIC).panes()).statistic())
        .isLessThan(ALERT);
    // Every latency doubled lies beyond the range of the reference's days.
    FamilyDetector slow = judged(baseline, later(true, (m, i, v) -> 2 * v).panes());
    assertThat(slow.statistic(1)).isGreaterThan(ALERT);
    assertThat(slow.statistic(-1)).isLessThan(ALERT);
  }

  @Test
  void judgesNothing_whenMarginalAndYoungerThanADay() {
    Baseline young =
        SimulatedSeries.latency(TRAFFIC)
            .baseline(FamilySpec.durationMean().in(Scope.MARGINAL), 1000);
    assertThat(young.tracks()).isEmpty();
  }

  @Test
  void noticesFasterRequests_asEvidenceOfItsOwn() {
    SimulatedSeries fast = later(true, (m, i, v) -> 0.7 * v);
    assertThat(
            judged(fast.baseline(FamilySpec.durationFaster(), REFERENCE), fast.panes()).statistic())
        .isGreaterThan(ALERT);
    assertThat(
            judged(fast.baseline(FamilySpec.durationTail(), REFERENCE), fast.panes()).statistic())
        .isLessThan(1000);
    SimulatedSeries usual = SimulatedSeries.latency(TRAFFIC);
    assertThat(
            judged(usual.baseline(FamilySpec.durationFaster(), REFERENCE), usual.panes())
                .statistic())
        .isLessThan(ALERT);
  }

  /** The reference as one that neither cached nor batched: it saw misses in batches of one. */
  private static List<CellPane> serial(List<CellPane> panes) {
    List<CellPane> serial = new ArrayList<>();
    for (CellPane pane : panes.subList(0, REFERENCE)) {
      serial.add(
          new CellPane(
              pane.startMicros(),
              pane.load() / 3,
              pane.cells().stream()
                  .map(
                      cell ->
                          new CellPane.JointCell(
                              cell.trafficClass(), "miss", "1", "no", cell.values()))
                  .toList()));
    }
    return serial;
  }

  @Test
  void findsTheClass_thatASuccessorHurts() {
    FamilySpec spec = FamilySpec.scoreMean().slicedInto(FamilySpec.MOST_SLICES);
    SimulatedSeries usual = SimulatedSeries.clip(TRAFFIC);
    FamilyDetector alike = successor(spec, usual);
    assertThat(alike.statistic()).isLessThan(ALERT);
    assertThat(alike.baseline().nodes()).isEmpty();
    SimulatedSeries hurt = later(false, (m, i, v) -> m.promptClass(i) == 3 ? v - 0.02 : v);
    FamilyDetector found = successor(spec, hurt);
    assertThat(found.statistic()).isGreaterThan(ALERT);
    assertThat(found.top(1).get(0).calibration().track().label()).isEqualTo("mean, all, class 3");
    assertThat(successor(FamilySpec.scoreMean(), hurt).statistic()).isLessThan(ALERT);
  }

  @Test
  void findsHitsInLargeBatches_ofASuccessor() {
    SimulatedSeries hurt = later(false, (m, i, v) -> m.hit(i) && m.batch(i) >= 8 ? v - 0.03 : v);
    FamilyDetector found = successor(FamilySpec.scoreMean(), hurt);
    assertThat(found.statistic()).isGreaterThan(ALERT);
    assertThat(found.top(1).get(0).calibration().track().label())
        .isEqualTo("contrast, hit in batch 8+ against all others");
  }

  @Test
  void findsTheNode_thatDiffersFromTheOthers() {
    FamilySpec spec = FamilySpec.scoreMean().slicedInto(FamilySpec.MOST_SLICES);
    SimulatedSeries usual = SimulatedSeries.clip(TRAFFIC);
    Baseline baseline = usual.baseline(spec, REFERENCE);
    assertThat(baseline.nodes()).containsExactlyInAnyOrder("n0", "n1", "n2");
    assertThat(Baseline.decode(baseline.encode()).tracks()).isEqualTo(baseline.tracks());
    assertThat(judged(baseline, usual.panes()).statistic()).isLessThan(ALERT);
    SimulatedSeries hurt =
        later(
            false,
            (m, i, v) ->
                m.index() >= REFERENCE + 240 && i % SimulatedSeries.NODES == 1 ? v - 0.012 : v);
    FamilyDetector found = judged(baseline, hurt.panes());
    assertThat(found.statistic()).isGreaterThan(ALERT);
    FamilyDetector.Evidence lead = found.top(1).get(0);
    assertThat(lead.calibration().track().label())
        .isEqualTo("contrast, all, node n1 against the others");
    assertThat(lead.sign()).isEqualTo(-1);
    assertThat(found.shift(lead.calibration()).orElseThrow().effect())
        .isCloseTo(-0.012, within(0.002));
  }

  private static FamilyDetector successor(FamilySpec spec, SimulatedSeries series) {
    Baseline baseline =
        BaselineLearner.learnPredecessor(
            spec, series.layout(), serial(series.panes()), SimulatedSeries.PANE_MICROS);
    PaneCutter cutter = new PaneCutter(baseline);
    FamilyDetector detector = new FamilyDetector(baseline);
    for (CellPane pane : series.panes().subList(REFERENCE, series.panes().size())) {
      assertThat(detector.next(cutter.cut(pane)).outOfSupport()).isFalse();
    }
    return detector;
  }

  @Test
  void comparesWithThePredecessor_whatItNeverHad() {
    FamilySpec spec = FamilySpec.scoreMean();
    FamilyDetector alike = successor(spec, SimulatedSeries.clip(TRAFFIC));
    assertThat(alike.statistic()).isLessThan(ALERT);
    assertThat(alike.baseline().tracks())
        .extracting(track -> track.track().label())
        .containsExactly(
            "mean, all",
            "mean, miss",
            "mean, batch 1",
            "contrast, hit against miss",
            "contrast, batch 8+ against smaller",
            "contrast, hit in batch 8+ against all others");
    FamilyDetector hits = successor(spec, later(false, (m, i, v) -> m.hit(i) ? v - 0.02 : v));
    assertThat(hits.statistic()).isGreaterThan(ALERT);
    assertThat(hits.top(1).get(0).calibration().track().label())
        .isEqualTo("contrast, hit against miss");
    assertThat(hits.top(1).get(0).calibration().track().stratum()).isEqualTo(Stratum.HIT);
  }

  private static final HistogramLayout SCORES = HistogramLayout.linear(0, 1, 1000);

  private static CellPane.JointCell cell(
      String trafficClass, String cache, int n, double mean, SplittableRandom random) {
    double[] values = random.doubles(n).map(u -> mean + .1 * (u - .5)).toArray();
    return new CellPane.JointCell(
        trafficClass, cache, "1", "no", ValueDistribution.of(SCORES, values));
  }

  /** Half of the requests of a class are hits; those of the other when asked for. */
  private static CellPane twoClasses(int minute, boolean bothHit, SplittableRandom random) {
    List<CellPane.JointCell> cells = new ArrayList<>();
    cells.add(cell("a", "hit", 20, .8, random));
    cells.add(cell("a", "miss", 20, .8, random));
    cells.add(cell("b", "miss", bothHit ? 20 : 40, .7, random));
    if (bothHit) {
      cells.add(cell("b", "hit", 20, .7, random));
    }
    return new CellPane(minute * SimulatedSeries.PANE_MICROS, 80, cells);
  }

  @Test
  void expectsAClassThatWasNeverHit_toBeAsItIsElsewhere() {
    SplittableRandom random = new SplittableRandom(7);
    List<CellPane> before = new ArrayList<>();
    for (int minute = 0; minute < 240; minute++) {
      before.add(twoClasses(minute, false, random));
    }
    Baseline baseline =
        BaselineLearner.learnPredecessor(
            FamilySpec.scoreMean(), SCORES, before, SimulatedSeries.PANE_MICROS);
    int known = baseline.classes().indexOf("a").getAsInt();
    int never = baseline.classes().indexOf("b").getAsInt();
    assertThat(baseline.table().mean(Stratum.HIT, known, 0)).isCloseTo(.8, within(.002));
    assertThat(baseline.table().mean(Stratum.HIT, never, 0)).isCloseTo(.7, within(.002));
    // Uniform over .1.
    assertThat(baseline.table().withinVariance(Stratum.HIT, never))
        .isCloseTo(.01 / 12, within(1e-4));

    PaneCutter cutter = new PaneCutter(baseline);
    FamilyDetector detector = new FamilyDetector(baseline);
    for (int minute = 240; minute < 360; minute++) {
      detector.next(cutter.cut(twoClasses(minute, true, random)));
    }
    assertThat(detector.statistic()).isLessThan(1000);
  }
}
