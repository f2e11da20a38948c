package io.servedrift.monitors.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Short requests take about 1 s, long ones about 4 s. */
class OfferedWorkTest {
  private static final long MINUTE = 60_000_000;

  private static CellPane pane(int at, SplittableRandom random, int shorts, int longs) {
    return new CellPane(
        at * MINUTE,
        shorts + longs,
        List.of(cell("short", random, shorts, 1), cell("long", random, longs, 4)));
  }

  private static CellPane.JointCell cell(
      String trafficClass, SplittableRandom random, int n, double seconds) {
    double[] values = random.doubles(n).map(u -> seconds * (.9 + .2 * u)).toArray();
    return new CellPane.JointCell(
        trafficClass,
        "miss",
        "1",
        "no",
        ValueDistribution.of(HistogramLayout.DURATIONS, values, ValueDistribution.Detail.BINS));
  }

  private static List<CellPane> panes(int shorts, int longs) {
    SplittableRandom random = new SplittableRandom(11);
    List<CellPane> panes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      panes.add(pane(i, random, shorts, longs));
    }
    return panes;
  }

  private static Baseline learned(FamilySpec spec) {
    return BaselineLearner.learn(spec, HistogramLayout.DURATIONS, panes(90, 10), MINUTE);
  }

  /** (.9 * 1 + .1 * 4) = 1.3 s a request before. */
  @Test
  void countsARequestByTheTimeOfItsClass() {
    Baseline baseline = learned(FamilySpec.durationTail());
    assertThat(OfferedWork.perRequest(baseline, panes(90, 10))).isCloseTo(1, within(1e-9));
    assertThat(OfferedWork.perRequest(baseline, panes(60, 40))).isCloseTo(2.2 / 1.3, within(.03));
    assertThat(OfferedWork.perRequest(baseline, panes(100, 0))).isCloseTo(1 / 1.3, within(.02));
  }

  @Test
  void doesNotDependOnHowLongTheRequestsTakeNow() {
    Baseline baseline = learned(FamilySpec.durationTail());
    SplittableRandom random = new SplittableRandom(12);
    CellPane slow =
        new CellPane(0, 100, List.of(cell("short", random, 90, 3), cell("long", random, 10, 12)));
    assertThat(OfferedWork.perRequest(baseline, List.of(slow))).isCloseTo(1, within(1e-9));
  }

  @Test
  void isOne_whereNothingIsKnown() {
    assertThat(OfferedWork.perRequest(learned(FamilySpec.durationMean()), panes(60, 40)))
        .isEqualTo(1);
    CellPane unknown =
        new CellPane(0, 50, List.of(cell("other kind", new SplittableRandom(13), 50, 9)));
    assertThat(OfferedWork.perRequest(learned(FamilySpec.durationTail()), List.of(unknown)))
        .isEqualTo(1);
    assertThat(OfferedWork.perRequest(learned(FamilySpec.durationTail()), List.of())).isEqualTo(1);
  }
}
