package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.detection.AlarmLevels;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which families a series has, and what of them others may ask. */
class SeriesFamiliesTest {
  private static final FamilySpec MEAN = FamilySpec.scoreMean().slicedInto(0);
  private static final FamilySpec TAIL = FamilySpec.scoreTail().slicedInto(0);
  private static final int QUIET = 60;
  private static final int LONG_ENOUGH = 60;

  private final OneSeries series = new OneSeries("metrics: {clip: {baseline: none}}", "c");
  private final SeriesFamilies families = series.families;

  @BeforeEach
  void remember() {
    for (int minute = 0; minute < QUIET; minute++) {
      series.history.append(series.pane());
    }
  }

  private FamilyJudge install(Basis basis, FamilySpec spec) {
    FamilyJudge family = series.family(basis, spec, 0, QUIET);
    families.install(family, now());
    return family;
  }

  private long now() {
    return OneSeries.at(series.minute);
  }

  /** Judges minutes in which all scores are lower; families must find it. */
  private void shift(double by) {
    series.all = by;
    for (int minute = 0; minute < LONG_ENOUGH; minute++) {
      CellPane pane = series.pane();
      series.history.append(pane);
      families.snapshot().forEach(family -> family.next(pane, OneSeries.LEVELS));
    }
  }

  @Test
  void findsReferencesByBasisAndStatistic() {
    FamilyJudge learned = install(Basis.LEARNED, MEAN);
    FamilyJudge tail = install(Basis.LEARNED, TAIL);
    FamilyJudge before = install(Basis.PREDECESSOR, MEAN);
    assertThat(families.reference(Basis.LEARNED, Statistic.MEAN)).contains(learned.reference());
    assertThat(families.reference(Basis.LEARNED, Statistic.TAIL)).contains(tail.reference());
    assertThat(families.reference(Basis.PREDECESSOR, Statistic.MEAN)).contains(before.reference());
    assertThat(families.reference(Basis.PREDECESSOR, Statistic.TAIL)).isEmpty();
    assertThat(families.all()).containsExactly(learned, before, tail);
  }

  @Test
  void knowsTheMeanAgainstTheSeriesItself_only() {
    install(Basis.PREDECESSOR, MEAN);
    install(Basis.MARGINAL, MEAN);
    install(Basis.LEARNED, TAIL);
    assertThat(families.mean()).isEmpty();
    FamilyJudge pinned = install(Basis.PINNED, MEAN);
    assertThat(families.mean()).contains(pinned);
  }

  @Test
  void tellsTheBudget_whenFamiliesComeAndGo() {
    install(Basis.LEARNED, MEAN);
    install(Basis.PREDECESSOR, MEAN);
    assertThat(series.budgetChanges).isEqualTo(2);
    families.retire(EnumSet.of(Basis.PINNED), now(), "nothing");
    assertThat(series.budgetChanges).isEqualTo(2);
    families.retire(EnumSet.of(Basis.LEARNED), now(), "gone");
    assertThat(series.budgetChanges).isEqualTo(3);
    families.retireComparisons();
    assertThat(series.budgetChanges).isEqualTo(4);
    families.retireComparisons();
    assertThat(series.budgetChanges).isEqualTo(4);
    assertThat(families.all()).isEmpty();
  }

  @Test
  void closesWhatIsOpen_whenAFamilyIsReplaced() {
    install(Basis.LEARNED, MEAN);
    shift(-.02);
    assertThat(families.anyOpen()).isTrue();
    FamilyJudge next = install(Basis.LEARNED, MEAN);
    assertThat(series.last("state").asText()).isEqualTo("closed");
    assertThat(series.last("closed_because").asText()).isEqualTo("the baseline was learned anew");
    assertThat(series.last("closed_at").asText()).isEqualTo(Micros.text(now()));
    assertThat(families.all()).containsExactly(next);
    assertThat(families.anyOpen()).isFalse();
  }

  @Test
  void closesWhatIsOpen_whenABasisIsRetired() {
    install(Basis.LEARNED, MEAN);
    FamilyJudge before = install(Basis.PREDECESSOR, MEAN);
    shift(-.02);
    int written = series.written.size();
    families.retire(EnumSet.of(Basis.LEARNED), now(), "why not");
    assertThat(series.written).hasSize(written + 1);
    assertThat(series.last("closed_because").asText()).isEqualTo("why not");
    assertThat(series.last("baseline").path("kind").asText()).isEqualTo("learned");
    assertThat(families.all()).containsExactly(before);
    assertThat(before.open()).isNotNull();
  }

  @Test
  void keepsComparisonsThatFoundSomething() {
    FamilyJudge mean = install(Basis.PREDECESSOR, MEAN);
    shift(-.02);
    install(Basis.PREDECESSOR, TAIL);
    families.retireComparisons();
    assertThat(families.all()).containsExactly(mean);
  }

  @Test
  void isExplained_inTheDirectionOfADecidedFinding() {
    FamilyJudge mean = install(Basis.LEARNED, MEAN);
    assertThat(families.explained("worse")).isFalse();
    shift(-.02);
    assertThat(mean.open()).isNotNull();
    assertThat(mean.open().cause().label()).isEqualTo("unexplained");
    assertThat(families.explained("worse")).isTrue();
    assertThat(families.explained("better")).isFalse();
  }

  @Test
  void isNotExplained_byAQuestion() {
    FamilyJudge mean = install(Basis.LEARNED, MEAN);
    // Every request is a hit now: too few are left that no cache touched.
    series.misses = false;
    shift(-.02);
    assertThat(mean.open()).isNotNull();
    assertThat(mean.open().decided()).isFalse();
    assertThat(families.explained("worse")).isFalse();
  }

  @Test
  void quotesWhatGoesAnotherWay() {
    FamilyJudge learned = install(Basis.LEARNED, MEAN);
    shift(-.02);
    OpenFinding worse = learned.open();
    assertThat(worse).isNotNull();
    assertThat(families.opposites(worse)).isEmpty();
    // Against a reference that was lower still, the same scores are better.
    series.all = -.06;
    int from = series.minute;
    for (int minute = 0; minute < QUIET; minute++) {
      series.history.append(series.pane());
    }
    FamilyJudge lower = series.family(Basis.PREDECESSOR, MEAN, from, from + QUIET);
    families.install(lower, now());
    shift(-.02);
    OpenFinding better = lower.open();
    assertThat(better).isNotNull();
    assertThat(better.direction()).isEqualTo("better");
    assertThat(families.opposites(better)).containsExactly(worse);
    assertThat(families.opposites(worse)).containsExactly(better);
    assertThat(families.withFinding(better.id())).contains(lower);
    assertThat(families.withFinding(worse.id())).contains(learned);
    assertThat(families.withFinding("0")).isEmpty();
  }

  @Test
  void isShifted_onlyByAFindingAgainstWhatWasLearnedOfTheSameScorer() {
    install(Basis.PREDECESSOR, MEAN);
    shift(-.02);
    assertThat(families.anyOpen()).isTrue();
    assertThat(families.shifted("")).isFalse();
    install(Basis.LEARNED, MEAN);
    shift(-.02);
    assertThat(families.shifted("")).isTrue();
    assertThat(families.shifted("other")).isFalse();
  }

  @Test
  void isSuspicious_fromTheWatchLevelOn() {
    FamilyJudge family = install(Basis.LEARNED, MEAN);
    series.all = -.02;
    for (int minute = 0; minute < 5; minute++) {
      CellPane pane = series.pane();
      series.history.append(pane);
      family.next(pane, OneSeries.LEVELS);
    }
    double m = family.evidenceMinutes();
    assertThat(m).isGreaterThan(2);
    assertThat(families.suspicious("", name -> new AlarmLevels(m, 1e9, 1e9))).isTrue();
    assertThat(families.suspicious("", name -> new AlarmLevels(1.01 * m, 1e9, 1e9))).isFalse();
    assertThat(families.suspicious("other", name -> new AlarmLevels(m, 1e9, 1e9))).isFalse();
  }

  @Test
  void goesOnFromItsState() {
    install(Basis.LEARNED, MEAN);
    install(Basis.PREDECESSOR, TAIL);
    shift(-.02);
    Content.Writer out = new Content.Writer();
    families.write(out);
    SeriesFamilies later = new SeriesFamilies(() -> {});
    later.read(series, new Content.Reader(out.bytes()));
    Content.Writer again = new Content.Writer();
    later.write(again);
    assertThat(again.bytes()).isEqualTo(out.bytes());
    assertThat(later.all().stream().map(FamilyJudge::name).toList())
        .isEqualTo(List.copyOf(families.all()).stream().map(FamilyJudge::name).toList());
    assertThat(later.explained("worse")).isTrue();
  }
}
