package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.BaselineLearner;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The split by class, worked out by hand. */
class ClassContributionsTest {
  private static final HistogramLayout LAYOUT = HistogramLayout.linear(0, 1, 1000);
  private static final long MINUTE = 60_000_000;
  private static final int MINUTES = 120;

  private static final List<CellPane> REFERENCE =
      panes(0, List.of(of("a", 10, .3), of("b", 10, .5)));

  /** Of 25 requests a minute .6 are of a, up by .05; .2 of b; .2 of a class never seen. */
  private static final List<CellPane> WINDOW =
      panes(MINUTES, List.of(of("a", 15, .35), of("b", 5, .5), of("c", 5, .53)));

  private record Kind(String name, int n, double value) {}

  private static Kind of(String name, int n, double value) {
    return new Kind(name, n, value);
  }

  private static List<CellPane> panes(int from, List<Kind> kinds) {
    List<CellPane> panes = new ArrayList<>();
    for (int minute = from; minute < from + MINUTES; minute++) {
      List<CellPane.JointCell> cells = new ArrayList<>();
      for (Kind kind : kinds) {
        double[] values = new double[kind.n];
        Arrays.fill(values, kind.value);
        cells.add(
            new CellPane.JointCell(
                kind.name,
                CellAxes.UNKNOWN,
                CellAxes.UNKNOWN,
                CellAxes.UNKNOWN,
                ValueDistribution.of(LAYOUT, values)));
      }
      panes.add(new CellPane(minute * MINUTE, 20, cells));
    }
    return panes;
  }

  private final Baseline baseline =
      BaselineLearner.learn(FamilySpec.scoreMean(), LAYOUT, REFERENCE, MINUTE);
  private final ReferenceCubes cubes = ReferenceCubes.of(baseline, REFERENCE);
  private final ClassContributions reference = ClassContributions.of(cubes, REFERENCE);

  private List<ClassContribution> largest(List<CellPane> window, int most) {
    return reference.largest(cubes, cubes.views().get(0), window, most);
  }

  private SortedMap<String, ClassContribution> byName(List<CellPane> window) {
    SortedMap<String, ClassContribution> found = new TreeMap<>();
    largest(window, 12).forEach(one -> found.put(one.trafficClass(), one));
    return found;
  }

  @Test
  void splitsEachClassIntoItsShareAndItsMean() {
    ClassContribution a = byName(WINDOW).get("a");

    assertThat(a.composition()).isCloseTo((.6 - .5) * (.3 - .4), within(1e-9));
    assertThat(a.within()).isCloseTo(.6 * (.35 - .3), within(1e-9));
    assertThat(a.referenceRequests()).isEqualTo(1200);
    assertThat(a.requests()).isEqualTo(1800);
    assertThat(byName(WINDOW).get("b").value()).isCloseTo((.2 - .5) * (.5 - .4), within(1e-9));
  }

  @Test
  void callsAClassThatTheReferenceNeverSawCompositionOnly() {
    ClassContribution c = byName(WINDOW).get("c");

    assertThat(c.composition()).isCloseTo(.2 * (.53 - .4), within(1e-9));
    assertThat(c.within()).isZero();
  }

  @Test
  void addsUpToTheDifference_andRanksTheLargestFirst() {
    List<ClassContribution> all = largest(WINDOW, 12);

    assertThat(all.stream().mapToDouble(ClassContribution::value).sum())
        .isCloseTo(.416 - .4, within(1e-9));
    assertThat(all)
        .isSortedAccordingTo((x, y) -> Double.compare(Math.abs(y.value()), Math.abs(x.value())));
    assertThat(largest(WINDOW, 2)).hasSize(2).isEqualTo(all.subList(0, 2));
  }

  /** Half an hour up and half an hour down is two observations, not thousands. */
  @Test
  void widensTheInterval_whenRequestsOfAMomentMoveTogether() {
    List<CellPane> window = new ArrayList<>(panes(MINUTES, List.of(of("a", 10, .25))));
    window.addAll(panes(2 * MINUTES, List.of(of("a", 10, .45))));

    ClassContribution moving = byName(window).get("a");
    ClassContribution steady = byName(WINDOW).get("a");

    assertThat(moving.withinInterval().upper() - moving.withinInterval().lower())
        .isGreaterThan(.05);
    assertThat(steady.interval().upper() - steady.interval().lower()).isLessThan(1e-6);
  }

  @Test
  void readsWhatItWrote() {
    Content.Writer out = new Content.Writer();
    reference.write(out);
    ClassContributions read = ClassContributions.read(new Content.Reader(out.bytes()));

    assertThat(read.largest(cubes, cubes.views().get(0), WINDOW, 12))
        .isEqualTo(largest(WINDOW, 12));
  }
}
