package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.attribution.Attribution;
import io.servedrift.monitors.attribution.Attribution.Contribution;
import io.servedrift.monitors.attribution.Attribution.RuledOut;
import io.servedrift.monitors.attribution.Attribution.Undecided;
import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import io.servedrift.monitors.attribution.Attribution.Verdict;
import io.servedrift.monitors.attribution.Cause;
import io.servedrift.monitors.attribution.CleanPath;
import io.servedrift.monitors.attribution.Mechanism;
import io.servedrift.monitors.attribution.NextTest;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.FamilySpec.Statistic;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.detection.FamilyDetector;
import io.servedrift.monitors.detection.Shift;
import io.servedrift.monitors.stats.Interval;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a tail may take from the mean: a serving cause, where it only lacks requests. */
class MeanOfScoreTest {
  private static final CleanPath FEW = new CleanPath(.01, .02, 12, true, true, true, false);

  private static Attribution of(Verdict verdict, double total, Contribution... contributing) {
    return new Attribution(
        verdict,
        new Attribution.Split(
            total, new Interval(total, total), 0, total, Map.of(), 0, Map.of(), 0, 0, 0, 0),
        List.of(),
        List.of(new RuledOut(Cause.CACHE, "of the tail"), new RuledOut(Cause.NODE, "of the tail")),
        List.of(contributing),
        List.of(),
        FEW,
        FEW,
        new NextTest("what", "command"));
  }

  private static Attribution undecided(Reason reason, long missing) {
    Undecided undecided = new Undecided(reason, "text", List.of(Cause.UNEXPLAINED), 12, missing);
    return of(
        new Verdict(Cause.INCONCLUSIVE, null, .9, .8, new TreeMap<>(), "text", undecided),
        .03,
        new Contribution(Cause.UNEXPLAINED, .8));
  }

  private static Attribution mean(Cause cause, Contribution... contributing) {
    return of(
        new Verdict(
            cause,
            Mechanism.EFFECT,
            .95,
            .7,
            new TreeMap<>(Map.of("composition", "joined")),
            "those that others joined moved",
            null),
        -.007,
        contributing);
  }

  @Test
  void lacksRequests_onlyWhenTooFewUntouchedOnesAreKnown() {
    assertThat(MeanOfScore.lacksRequests(undecided(Reason.CLEAN_PATH, 88))).isTrue();
    // a hundred and more were looked at, and stayed
    assertThat(MeanOfScore.lacksRequests(undecided(Reason.CLEAN_PATH, 0))).isFalse();
    for (Reason other : List.of(Reason.COLLINEAR, Reason.SPLIT, Reason.NO_OVERLAP)) {
      assertThat(MeanOfScore.lacksRequests(undecided(other, 88))).as(other.name()).isFalse();
    }
    assertThat(MeanOfScore.lacksRequests(undecided(Reason.TOO_SMALL, 88))).isFalse();
    assertThat(MeanOfScore.lacksRequests(mean(Cause.BATCHING))).isFalse();
  }

  @Test
  void takesAServingCause_andKeepsTheNumbersOfTheTail() {
    Attribution tail = undecided(Reason.CLEAN_PATH, 88);
    Attribution answered =
        MeanOfScore.answered(tail, mean(Cause.BATCHING, new Contribution(Cause.CACHE, .3)));
    assertThat(answered.verdict().cause()).isEqualTo(Cause.BATCHING);
    assertThat(answered.verdict().undecided()).isNull();
    assertThat(answered.verdict().where()).containsEntry("composition", "joined");
    assertThat(answered.verdict().why())
        .isEqualTo("the mean moved, too: those that others joined moved");
    assertThat(answered.split()).isEqualTo(tail.split());
    assertThat(answered.cleanPath()).isEqualTo(tail.cleanPath());
    assertThat(answered.contributing()).containsExactly(new Contribution(Cause.CACHE, .3));
    assertThat(answered.ruledOut()).containsExactly(new RuledOut(Cause.NODE, "of the tail"));
    assertThat(answered.nextTest().what()).contains("batch 1");
  }

  @Test
  void takesNothingElse_whateverTheMeanSays() {
    Attribution tail = undecided(Reason.CLEAN_PATH, 88);
    for (Cause other : Cause.values()) {
      if (!other.serving()) {
        assertThat(MeanOfScore.answered(tail, mean(other))).as(other.label()).isEqualTo(tail);
      }
    }
  }

  private static final int LEARNED = 120;

  /** Two hours of scores, and an hour in which something is off. */
  private static OneSeries series(double hits, double all) {
    OneSeries series = new OneSeries("metrics: {clip: {baseline: none}}", "c").run(LEARNED);
    for (FamilySpec spec : List.of(FamilySpec.scoreMean(), FamilySpec.scoreTail())) {
      series.families.install(
          series.family(Basis.LEARNED, spec.slicedInto(0), 0, LEARNED), OneSeries.at(LEARNED));
    }
    series.hits = hits;
    series.all = all;
    for (int minute = 0; minute < 60; minute++) {
      series.history.append(series.pane());
    }
    return series;
  }

  /** What is said in the end where the tail is undecided. */
  private static ShiftExplainer.Judged decided(OneSeries series, Attribution own, int sign) {
    Reference tail = series.reference(Basis.LEARNED, Statistic.TAIL).orElseThrow();
    PaneCutter cutter = new PaneCutter(tail.baseline());
    List<CellPane> panes = series.panes(OneSeries.at(LEARNED), Long.MAX_VALUE);
    ShiftWindow window = new ShiftWindow(panes, panes.stream().map(cutter::cut).toList());
    long onset = OneSeries.at(LEARNED);
    Shift shift = new Shift(onset, onset, onset + Micros.MINUTE, 2, 1.5, 2.5, true, false);
    FamilyDetector.Evidence lead = new FamilyDetector(tail.baseline()).top(1).get(0);
    return MeanOfScore.of(series, tail)
        .orElseThrow()
        .decide(
            new ShiftExplainer.Judged(
                own,
                series.events().around(onset, onset, onset, false),
                window,
                new ShiftExplainer.Breakdown(Optional.empty(), List.of(), Optional.empty())),
            lead,
            shift,
            sign);
  }

  @Test
  void asksTheMeanOverTheSamePanes() {
    Attribution tail = undecided(Reason.CLEAN_PATH, 88);
    ShiftExplainer.Judged answered = decided(series(-.02, 0), tail, -1);
    assertThat(answered.attribution().verdict().cause()).isEqualTo(Cause.CACHE);
    assertThat(answered.attribution().verdict().where()).isEqualTo(Map.of("cache", "hit"));
    assertThat(answered.attribution().verdict().why())
        .startsWith("the mean moved, too: requests with cache=hit");
    assertThat(answered.attribution().split()).isEqualTo(tail.split());
    assertThat(answered.window().panes()).hasSize(60);
  }

  @Test
  void leavesTheTailAlone_whereTheMeanStayedOrMovedTheOtherWay() {
    Attribution tail = undecided(Reason.CLEAN_PATH, 88);
    assertThat(decided(series(0, 0), tail, -1).attribution()).isEqualTo(tail);
    assertThat(decided(series(.02, 0), tail, -1).attribution()).isEqualTo(tail);
    assertThat(decided(series(.02, 0), tail, 1).attribution().verdict().cause())
        .isEqualTo(Cause.CACHE);
  }

  @Test
  void leavesTheTailAlone_whereAllMoved_orWhereItSaysSomethingItself() {
    Attribution tail = undecided(Reason.CLEAN_PATH, 88);
    assertThat(decided(series(0, -.02), tail, -1).attribution()).isEqualTo(tail);
    Attribution coincide = undecided(Reason.COLLINEAR, 88);
    assertThat(decided(series(-.02, 0), coincide, -1).attribution()).isEqualTo(coincide);
  }

  @Test
  void isOfTailsOfScores_againstWhatHasAMeanToo() {
    OneSeries series = new OneSeries("metrics: {clip: {baseline: none}}", "c").run(LEARNED);
    FamilySpec spec = FamilySpec.scoreTail().slicedInto(0);
    Reference tail = series.reference(Basis.LEARNED, spec, 0, LEARNED);
    assertThat(MeanOfScore.of(series, tail)).as("no mean").isEmpty();
    FamilySpec mean = FamilySpec.scoreMean().slicedInto(0);
    series.families.install(series.family(Basis.PREDECESSOR, mean, 0, LEARNED), 0);
    assertThat(MeanOfScore.of(series, tail)).as("a mean of another basis").isEmpty();
    series.families.install(series.family(Basis.LEARNED, mean, 0, LEARNED), 0);
    assertThat(MeanOfScore.of(series, tail)).isPresent();
    assertThat(MeanOfScore.of(series, series.reference(Basis.LEARNED, mean, 0, LEARNED)))
        .as("the mean itself")
        .isEmpty();
    assertThat(MeanOfScore.of(series, series.reference(Basis.MARGINAL, spec, 0, LEARNED)))
        .as("traffic not set aside")
        .isEmpty();
  }
}
