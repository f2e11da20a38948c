package io.servedrift.monitors.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.MergedPane;
import io.servedrift.monitors.pane.SeriesKey;
import io.servedrift.monitors.pane.ValueDistribution;
import io.servedrift.schemas.avro.PaneKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PaneCutterTest {
  private static final long MINUTE = 60_000_000;
  private static final HistogramLayout LAYOUT = HistogramLayout.DURATIONS;

  private static ValueDistribution bins(HistogramLayout layout, double... values) {
    return ValueDistribution.of(layout, values, ValueDistribution.Detail.BINS);
  }

  private static List<CellPane> panes(List<double[]> values, HistogramLayout layout) {
    List<CellPane> panes = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      panes.add(
          new CellPane(
              i * MINUTE,
              values.get(i).length,
              List.of(
                  new CellPane.JointCell(
                      "portrait", "hit", "1", "no", bins(layout, values.get(i))))));
    }
    return panes;
  }

  private static List<double[]> draws(long seed, int panes, int each) {
    SplittableRandom random = new SplittableRandom(seed);
    List<double[]> all = new ArrayList<>();
    for (int i = 0; i < panes; i++) {
      all.add(random.doubles(each).map(u -> 2 * StrictMath.pow(1 - u, -0.3)).toArray());
    }
    return all;
  }

  @Test
  void setsThresholdsAtEdges_nearTheQuantilesOfTheValues() {
    List<double[]> values = draws(1, 200, 100);
    Baseline baseline =
        BaselineLearner.learn(FamilySpec.durationTail(), LAYOUT, panes(values, LAYOUT), MINUTE);
    double[] sorted = values.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    double[] q = {.5, .9, .99};
    for (int level = 0; level < q.length; level++) {
      double cut = baseline.thresholds().cut(level, Stratum.HIT, 0);
      assertThat(cut).isCloseTo(SampleQuantile.of(sorted, q[level]), within(0.025 * cut));
      assertThat(LAYOUT.upper(LAYOUT.binOf(cut))).isEqualTo(cut);
      long beyond = Arrays.stream(sorted).filter(value -> value > cut).count();
      assertThat(baseline.table().exceedances(level, Stratum.HIT)).isEqualTo((double) beyond);
    }
    assertThat(baseline.table().n(Stratum.ALL)).isEqualTo(20_000);
    assertThat(baseline.table().n(Stratum.MISS)).isZero();
  }

  @Test
  void countsLowValues_whenTheTailIsBelow() {
    HistogramLayout layout = HistogramLayout.linear(-1, 1, 2048);
    SplittableRandom random = new SplittableRandom(5);
    List<double[]> values = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      values.add(random.doubles(60).map(u -> 0.2 + 0.2 * u).toArray());
    }
    Baseline baseline =
        BaselineLearner.learn(FamilySpec.scoreTail(), layout, panes(values, layout), MINUTE);
    double cut = baseline.thresholds().cut(0, Stratum.ALL, 0);
    assertThat(cut).isCloseTo(0.21, within(0.003));
    long below =
        values.stream().flatMapToDouble(Arrays::stream).filter(value -> value <= cut).count();
    assertThat(baseline.table().exceedances(0, Stratum.ALL)).isEqualTo((double) below);
  }

  @Test
  void sumsExactly_unlessAValueIsWinsorised() {
    HistogramLayout layout = HistogramLayout.linear(-1, 1, 2048);
    PaneCutter cutter =
        new PaneCutter(
            FamilySpec.scoreMean(),
            TrafficClasses.of(List.of("portrait")),
            new Thresholds(0.1, 0.4, new double[0][][]));
    PaneCounts inside = cutter.cut(panes(List.of(new double[] {0.3127, 0.2511}), layout).get(0));
    assertThat(inside.sum(Stratum.HIT, 0)).isCloseTo(0.5638, within(1e-12));
    assertThat(inside.sumSquares(Stratum.HIT, 0))
        .isCloseTo(0.3127 * 0.3127 + 0.2511 * 0.2511, within(1e-12));
    PaneCounts outside = cutter.cut(panes(List.of(new double[] {0.9, 0.25}), layout).get(0));
    assertThat(outside.sum(Stratum.HIT, 0)).isCloseTo(0.65, within(0.001));
  }

  @Test
  void countsFailures_ofEitherKind() {
    List<CellPane> panes = panes(List.of(new double[] {1, 1, 0, 1}), HistogramLayout.binary());
    TrafficClasses classes = TrafficClasses.of(List.of("portrait"));
    assertThat(
            new PaneCutter(FamilySpec.failureRatio(1), classes, Thresholds.none())
                .cut(panes.get(0))
                .exceedances(0, Stratum.ALL))
        .isEqualTo(3);
    assertThat(
            new PaneCutter(FamilySpec.failureRatio(0), classes, Thresholds.none())
                .cut(panes.get(0))
                .exceedances(0, Stratum.ALL))
        .isEqualTo(1);
  }

  @Test
  void leavesOutClasses_thatTheReferenceNeverSaw() {
    PaneCutter cutter =
        new PaneCutter(
            FamilySpec.scoreMean(),
            TrafficClasses.of(List.of("landscape")),
            new Thresholds(0, 1, new double[0][][]));
    PaneCounts counts =
        cutter.cut(
            panes(List.of(new double[] {0.3, 0.2}), HistogramLayout.linear(-1, 1, 2048)).get(0));
    assertThat(counts.n(Stratum.ALL)).isZero();
    assertThat(counts.leftOut()).isEqualTo(2);
  }

  @Test
  void readsJointCells_ofAMergedPaneOnly() {
    var cells = new TreeMap<List<String>, ValueDistribution>(Comparator.comparing(List::toString));
    cells.put(
        List.of(
            "batch=8-15",
            "cache=hit",
            "preempted=yes",
            "prompt_class=portrait",
            "workload=512x512"),
        bins(LAYOUT, 1, 2));
    cells.put(
        List.of(
            "batch=unknown",
            "cache=unknown",
            "preempted=unknown",
            "prompt_class=portrait",
            "workload=unknown"),
        bins(LAYOUT, 3));
    cells.put(List.of("cell=other"), bins(LAYOUT, 4));
    cells.put(List.of("node=a"), bins(LAYOUT, 1, 2, 3, 4));
    MergedPane.Series series =
        new MergedPane.Series(
            new SeriesKey("d", "m", "c", "latency"), bins(LAYOUT, 1, 2, 3, 4), cells);
    CellPane pane =
        CellPane.of(
            new MergedPane("d", PaneKind.LATENCY, MINUTE, 2 * MINUTE, List.of(series)), series, 7);
    assertThat(pane.startMicros()).isEqualTo(MINUTE);
    assertThat(pane.load()).isEqualTo(7);
    assertThat(pane.cells())
        .extracting(CellPane.JointCell::trafficClass)
        .containsExactly("portrait / 512x512", "portrait", "other");
    assertThat(pane.cells())
        .extracting(CellPane.JointCell::strata)
        .containsExactly(
            List.of(
                Stratum.ALL,
                Stratum.HIT,
                Stratum.BATCH_8_UP,
                Stratum.HIT_BATCH_8_UP,
                Stratum.PREEMPTED),
            List.of(Stratum.ALL),
            List.of(Stratum.ALL));
  }

  @Test
  void namesABaselineByItsContent() {
    List<CellPane> panes = panes(draws(2, 60, 50), LAYOUT);
    Baseline one = BaselineLearner.learn(FamilySpec.durationTail(), LAYOUT, panes, MINUTE);
    Baseline same = BaselineLearner.learn(FamilySpec.durationTail(), LAYOUT, panes, MINUTE);
    Baseline other =
        BaselineLearner.learn(FamilySpec.durationTail(), LAYOUT, panes.subList(0, 59), MINUTE);
    assertThat(same.id()).isEqualTo(one.id()).hasSize(64);
    assertThat(other.id()).isNotEqualTo(one.id());
    Baseline read = Baseline.decode(one.encode());
    assertThat(read.id()).isEqualTo(one.id());
    assertThat(read.tracks()).isEqualTo(one.tracks());
    assertThat(read.thresholds()).isEqualTo(one.thresholds());
    assertThatThrownBy(() -> Baseline.decode(Arrays.copyOf(one.encode(), 100)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void poolsRareClasses_beyondTheLimit() {
    TreeMap<String, Long> sizes = new TreeMap<>();
    sizes.put("a", 5L);
    sizes.put("b", 50L);
    sizes.put("c", 7L);
    TrafficClasses classes = TrafficClasses.largest(sizes, 2);
    assertThat(classes.size()).isEqualTo(2);
    assertThat(classes.indexOf("b")).hasValue(0);
    assertThat(classes.indexOf("a")).hasValue(1);
    assertThat(classes.indexOf("c")).hasValue(1);
    assertThat(classes.indexOf("d")).isEmpty();
    assertThat(classes.name(1)).isEqualTo("other");
  }

  @Test
  void refusesAReference_thatIsTooShort() {
    List<CellPane> panes = panes(draws(3, 19, 50), LAYOUT);
    assertThatThrownBy(
            () -> BaselineLearner.learn(FamilySpec.durationTail(), LAYOUT, panes, MINUTE))
        .hasMessage("panes=19: a baseline needs at least 20");
  }
}
