package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.pane.SeriesKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From which panes a series learns what is normal, and when. */
class SeriesLearningTest {
  private static final double EXACT = 1e-9;

  private static Summary learned(OneSeries series, Basis basis) {
    return series.reference(basis, Statistic.MEAN).orElseThrow().summary();
  }

  private static void assertFrom(OneSeries series, Basis basis, int fromMinute, int toMinute) {
    Summary found = learned(series, basis);
    assertThat(minute(found.fromMicros())).isEqualTo(fromMinute);
    assertThat(minute(found.toMicros())).isEqualTo(toMinute);
    assertThat(found.mean()).isCloseTo(series.mean(fromMinute, toMinute), within(EXACT));
  }

  private static long minute(long micros) {
    return (micros - OneSeries.START) / Micros.MINUTE;
  }

  private static List<String> bases(OneSeries series) {
    return series.families.all().stream()
        .map(family -> family.reference().basis().name())
        .distinct()
        .toList();
  }

  @Test
  void learnsFirstAfterHalfAnHour_andHoldsOutAQuarter() {
    OneSeries series = new OneSeries().run(29);
    assertThat(series.families.all()).isEmpty();
    series.run(1);
    // A quarter of 30 minutes is 7.5: the pane that begins at 22 ends after the cut and counts.
    assertFrom(series, Basis.LEARNED, 0, 23);
    assertThat(learned(series, Basis.LEARNED).n()).isEqualTo(23 * 40);
    assertThat(series.reference(Basis.LEARNED, Statistic.TAIL)).isPresent();
  }

  @Test
  void waitsForAThousandValues() {
    OneSeries series = new OneSeries();
    series.perMinute = 8;
    series.run(124);
    assertThat(series.families.all()).isEmpty();
    series.run(1);
    assertFrom(series, Basis.LEARNED, 0, 94);
  }

  @Test
  void learnsAnew_whenTheHistoryIsHalfAsLongAgain() {
    OneSeries series = new OneSeries().run(44);
    assertFrom(series, Basis.LEARNED, 0, 23);
    series.run(1);
    assertFrom(series, Basis.LEARNED, 0, 34);
    assertThat(series.families.all()).hasSize(2);
  }

  @Test
  void doesNotLearnFromAStart() {
    OneSeries series = new OneSeries();
    series.all = -.2;
    series.run(10, true);
    series.all = 0;
    series.run(29);
    assertThat(series.families.all()).isEmpty();
    series.run(1);
    assertFrom(series, Basis.LEARNED, 10, 33);
    assertThat(learned(series, Basis.LEARNED).mean()).isCloseTo(.3, within(.005));
  }

  @Test
  void doesNotLearnFromMaintenance() {
    OneSeries series = new OneSeries().run(10);
    series.maintenance = "disks are changed";
    series.all = -.2;
    series.run(10);
    series.maintenance = "";
    series.all = 0;
    series.run(20);
    Summary found = learned(series, Basis.LEARNED);
    // 40 minutes passed and 30 count; the cut is 7.5 minutes before now.
    assertThat(minute(found.toMicros())).isEqualTo(33);
    assertThat(found.n()).isEqualTo(23 * 40);
    assertThat(found.mean()).isCloseTo(.3, within(.005));
    assertThat(series.learning.usable(OneSeries.at(8), OneSeries.at(22)))
        .extracting(CellPane::startMicros)
        .containsExactly(OneSeries.at(8), OneSeries.at(9), OneSeries.at(20), OneSeries.at(21));
  }

  @Test
  void doesNotLearnAShift_whileItsFindingIsOpen() {
    OneSeries series = new OneSeries().run(120);
    Summary before = learned(series, Basis.LEARNED);
    series.all = -.02;
    series.run(600);
    assertThat(series.families.anyOpen()).isTrue();
    assertThat(learned(series, Basis.LEARNED)).isEqualTo(before);
  }

  @Test
  void isFrozen_whenItsTimeIsUp() {
    OneSeries series = new OneSeries("baseline: {full_duration: 1h}", "c").run(59);
    assertFrom(series, Basis.LEARNED, 0, 34);
    series.run(8);
    // 45 and half of it is 67, but the full hour comes first.
    assertFrom(series, Basis.LEARNED, 0, 45);
    series.run(60);
    assertFrom(series, Basis.LEARNED, 0, 45);
  }

  @Test
  void keepsADayAndAnHour_onceFrozen() {
    OneSeries series = new OneSeries("baseline: {full_duration: 1h}", "c").run(26 * 60);
    assertThat(minute(series.history.fromMicros())).isEqualTo(26 * 60 - 1 - 25 * 60);
  }

  @Test
  void forgetsNothing_whileItGrows() {
    OneSeries series = new OneSeries().run(26 * 60);
    assertThat(series.history.fromMicros()).isEqualTo(OneSeries.START);
  }

  @Test
  void learnsAnew_fromTheFirstPaneOfAnotherScorer() {
    OneSeries series = new OneSeries();
    series.scorer = "a";
    series.run(60);
    assertThat(series.reference(Basis.LEARNED, Statistic.MEAN).orElseThrow().scorer())
        .isEqualTo("a");
    series.scorer = "b";
    series.all = .1;
    series.run(29 + 3);
    Reference next = series.reference(Basis.LEARNED, Statistic.MEAN).orElseThrow();
    assertThat(next.scorer()).isEqualTo("b");
    assertThat(minute(next.summary().fromMicros())).isEqualTo(60);
    assertThat(next.summary().mean()).isCloseTo(.4, within(.005));
  }

  @Test
  void pinsARange_ofPanesThatAreThere() {
    OneSeries series = new OneSeries().run(100);
    assertThat(series.learning.pin(OneSeries.at(20), OneSeries.at(20))).isFalse();
    assertThat(series.learning.pin(OneSeries.at(20), OneSeries.at(39))).as("19 panes").isFalse();
    assertThat(series.learning.pin(OneSeries.at(200), OneSeries.at(300))).isFalse();
    assertThat(bases(series)).containsExactly("LEARNED");
    assertThat(series.learning.pin(OneSeries.at(20), OneSeries.at(60))).isTrue();
    series.run(1);
    assertThat(bases(series)).containsExactly("PINNED");
    assertFrom(series, Basis.PINNED, 20, 60);
    series.run(200);
    assertFrom(series, Basis.PINNED, 20, 60);
  }

  @Test
  void endsWhatIsOpen_whenARangeIsPinned() {
    OneSeries series = new OneSeries().run(120);
    series.all = -.02;
    series.run(60);
    assertThat(series.families.anyOpen()).isTrue();
    series.learning.pin(OneSeries.at(20), OneSeries.at(60));
    series.run(1);
    assertThat(series.written)
        .anyMatch(f -> f.path("closed_because").asText().equals("another baseline was pinned"));
  }

  private static String pinned(int fromMinute, int toMinute) {
    return "baseline: {pinned: [{deployment: d, from: "
        + Instant.ofEpochSecond(OneSeries.at(fromMinute) / 1_000_000)
        + ", to: "
        + Instant.ofEpochSecond(OneSeries.at(toMinute) / 1_000_000)
        + "}]}";
  }

  @Test
  void waitsForTheRangeOfThePolicy_thenTakesIt() {
    OneSeries series = new OneSeries(pinned(20, 60), "c").run(60);
    assertThat(series.families.all()).isEmpty();
    series.run(1);
    assertFrom(series, Basis.PINNED, 20, 60);
  }

  @Test
  void learns_whenTheRangeOfThePolicyIsNotThere() {
    OneSeries series = new OneSeries(pinned(-90, -10), "c").run(30);
    assertThat(bases(series)).containsExactly("LEARNED");
  }

  @Test
  void learnsFromTheOnset_whenAShiftIsAccepted() {
    OneSeries series = new OneSeries(pinned(20, 60), "c").run(120);
    series.all = -.02;
    series.run(100);
    assertThat(bases(series)).containsExactly("PINNED");
    series.learning.accept(OneSeries.at(120));
    // 100 minutes and their values count already; the next pane makes 101.
    series.run(1);
    Summary found = learned(series, Basis.LEARNED);
    assertThat(minute(found.fromMicros())).isEqualTo(120);
    assertThat(minute(found.toMicros())).isEqualTo(196);
    assertThat(found.mean()).isCloseTo(.28, within(.005));
  }

  @Test
  void learnsNothing_whenThePolicySaysSo() {
    OneSeries none = new OneSeries("metrics: {clip: {baseline: none}}", "c").run(60);
    assertThat(none.families.all()).isEmpty();
    OneSeries before = new OneSeries("metrics: {clip: {baseline: predecessor_only}}", "c").run(60);
    assertThat(before.families.all()).isEmpty();
  }

  @Test
  void keepsTheComparisonWithAPredecessor_whenThePolicyKnowsNoOther() {
    OneSeries series = new OneSeries("metrics: {clip: {baseline: predecessor_only}}", "c").run(60);
    for (Basis basis : List.of(Basis.PREDECESSOR, Basis.LEARNED)) {
      series.families.install(
          series.family(basis, FamilySpec.scoreMean(), 0, 60), OneSeries.at(60));
    }
    series.run(1);
    assertThat(bases(series)).containsExactly("PREDECESSOR");
  }

  @Test
  void knowsTheWholeDeploymentAfterADay_byAllItsTraffic() {
    OneSeries series = new OneSeries("baseline: {full_duration: 2d}", SeriesKey.ALL).run(24 * 60);
    // One configuration has all traffic, so like for like is not judged a second time.
    assertThat(series.families.all()).isEmpty();
    series.run(10 * 60);
    assertThat(bases(series)).containsExactly("MARGINAL");
    assertThat(series.reference(Basis.MARGINAL, Statistic.TAIL)).isEmpty();
    Summary found = learned(series, Basis.MARGINAL);
    assertThat(found.toMicros() - found.fromMicros()).isGreaterThanOrEqualTo(23 * Micros.HOUR);
  }

  @Test
  void goesOnFromItsState() {
    OneSeries series = new OneSeries().run(10, true).run(110);
    series.learning.pin(OneSeries.at(30), OneSeries.at(70));
    series.run(1);
    Content.Writer out = new Content.Writer();
    series.learning.write(out);
    Content.Writer families = new Content.Writer();
    series.families.write(families);
    OneSeries other = new OneSeries();
    series.history.panes().forEach(other.history::append);
    other.learning.read(new Content.Reader(out.bytes()));
    other.families.read(other, new Content.Reader(families.bytes()));
    assertThat(other.state()).isEqualTo(series.state());
    assertThat(other.learning.usable(0, OneSeries.at(12)))
        .extracting(CellPane::startMicros)
        .containsExactly(OneSeries.at(10), OneSeries.at(11));
    series.learning.accept(OneSeries.at(100));
    other.learning.accept(OneSeries.at(100));
    for (int minute = 0; minute < 60; minute++) {
      CellPane pane = series.pane();
      series.take(pane, false);
      other.take(pane, false);
    }
    assertThat(bases(series)).contains("LEARNED");
    assertThat(other.state()).isEqualTo(series.state());
  }
}
