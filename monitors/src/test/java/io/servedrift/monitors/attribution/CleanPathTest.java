package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A busy deployment: hardly a request is served in a batch of three or fewer. */
class CleanPathTest {
  private static final CellAxes AXES =
      new CellAxes(
          1, List.of("a"), List.of("miss"), List.of("2-3", "4-7"), List.of("no"), List.of("*"));

  private static final double SD = .03;

  private static CellCube scores(double small, double smallMean, double large, double largeMean) {
    CellCube.Builder builder = CellCube.over(AXES);
    add(builder, "2-3", small, smallMean);
    add(builder, "4-7", large, largeMean);
    return builder.build();
  }

  private static void add(CellCube.Builder to, String batch, double n, double mean) {
    to.add(0, "a", "miss", batch, "no", "*", n, n * mean, n * (mean * mean + SD * SD));
  }

  private static Attribution.Verdict verdict(CellCube window) {
    CellCube block = scores(500, .31, 1_500, .31);
    CellCube reference = scores(5_000, .31, 15_000, .31);
    return verdict(reference, block, window, Measure.scoreMean().adjusted(-1));
  }

  private static Attribution.Verdict verdict(
      CellCube reference, CellCube block, CellCube window, Measure measure) {
    return new Attributor()
        .attribute(
            new AttributionInput(
                reference,
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                measure.withUnevenness(.3),
                Changes.NONE,
                Map.of()))
        .verdict();
  }

  @Test
  void saysUnexplained_whenAHundredUntouchedRequestsMoved() {
    Attribution.Verdict verdict = verdict(scores(100, .29, 2_900, .29));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.UNEXPLAINED);
    assertThat(verdict.why()).contains("n=100");
  }

  /** 40 values with a standard deviation of .03: a standard error of .0047. */
  @Test
  void saysUnexplained_whenFewerMovedBeyondDoubt() {
    Attribution.Verdict verdict = verdict(scores(40, .29, 2_960, .29));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.UNEXPLAINED);
    assertThat(verdict.why()).contains("n=40");
  }

  @Test
  void asksForAHundred_whenFewerMovedByLessThanThreeStandardErrors() {
    Attribution.Verdict verdict = verdict(scores(40, .297, 2_960, .29));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=40; 100 are needed");
    assertThat(verdict.undecided()).isNotNull();
    assertThat(verdict.undecided().requestsMissing()).isEqualTo(60);
  }

  @Test
  void asksForAHundred_howeverFarAHandfulMoved() {
    Attribution.Verdict verdict = verdict(scores(29, .25, 2_971, .25));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=29; 100 are needed");
  }

  private static boolean moved(long requests, boolean rate) {
    return new Untouched(new CleanPath(.2, .01, requests, true, true, true, rate), .2, false)
        .moved();
  }

  /** Of 99 requests two or three beyond a rare threshold are no move of a share. */
  @Test
  void ofAShareAHundredAreNeeded_howeverFarFewerMoved() {
    assertThat(moved(99, true)).isFalse();
    assertThat(moved(100, true)).isTrue();
    assertThat(moved(99, false)).isTrue();
  }

  private static CellCube failures(double small, double large, double share) {
    CellCube.Builder builder = CellCube.over(AXES);
    builder.add(0, "a", "miss", "2-3", "no", "*", small, small * share, small * share);
    builder.add(0, "a", "miss", "4-7", "no", "*", large, large * share, large * share);
    return builder.build();
  }

  @Test
  void asksForAHundred_whenFewerFailed() {
    CellCube block = failures(500, 1_500, .2);
    CellCube window = failures(50, 2_950, .4);
    CellCube reference = failures(5_000, 15_000, .2);
    Attribution.Verdict verdict =
        verdict(reference, block, window, Measure.failureRate().adjusted(1));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=50; 100 are needed");
  }

  @Test
  void doesNotSayUnexplained_whenTheUntouchedStayed() {
    Attribution.Verdict verdict = verdict(scores(150, .31, 2_850, .29));
    assertThat(verdict.cause()).as(verdict.why()).isNotEqualTo(Cause.UNEXPLAINED);
  }

  private static final CellAxes TWO_CLASSES =
      new CellAxes(
          1,
          List.of("a", "b"),
          List.of("miss"),
          List.of("2-3", "4-7"),
          List.of("no"),
          List.of("*"));

  private static final Changes CONFIGURATION = new Changes(false, true, false);

  /** Answers that are right or wrong; few small batches are of class b. */
  private static CellCube answers(double size, double smallB, double rightOfSmallB, double b) {
    CellCube.Builder builder = CellCube.over(TWO_CLASSES);
    answers(builder, "a", "2-3", 2_400 * size, .8);
    answers(builder, "a", "4-7", 2_000 * size, .8);
    answers(builder, "b", "2-3", smallB * size, rightOfSmallB);
    answers(builder, "b", "4-7", 1_000 * size, b);
    return builder.build();
  }

  private static void answers(
      CellCube.Builder to, String ofClass, String batch, double n, double share) {
    double right = Math.rint(n * share);
    to.add(0, ofClass, "miss", batch, "no", "*", n, right, right);
  }

  private static Attribution ofAClass(
      double smallB, double rightOfSmallB, double b, Changes changes, Circumstances beside) {
    CellCube block = answers(1, smallB, .8, .8);
    CellCube window = answers(1, smallB, rightOfSmallB, b);
    return new Attributor()
        .attribute(
            new AttributionInput(
                answers(5, smallB, .8, .8),
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.PREDECESSOR,
                List.of(),
                List.of(),
                beside,
                Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                changes,
                Map.of()));
  }

  private static Attribution ofAClass(double smallB, double rightOfSmallB, double b) {
    return ofAClass(smallB, rightOfSmallB, b, CONFIGURATION, Circumstances.NONE);
  }

  /** Over all classes the clean path moved by a quarter of what all requests did. */
  @Test
  void looksAtTheCleanPathOfTheClassThatMoved() {
    Attribution found = ofAClass(120, .5, .5);
    Attribution.Verdict verdict = found.verdict();
    assertThat(found.cleanPath().stayed()).isTrue();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.CONFIG_CHANGE);
    assertThat(verdict.where()).isEqualTo(Map.of("prompt_class", "b"));
    assertThat(verdict.why()).contains("of the class that moved", "n=120");
  }

  @Test
  void asksForAHundredOfTheClass() {
    Attribution.Verdict verdict = ofAClass(28, .5, .5).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=28; 100 are needed");
  }

  @Test
  void namesNoConfiguration_whenOnlyLargeBatchesOfTheClassMoved() {
    Attribution.Verdict verdict = ofAClass(120, .8, .5).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isNotEqualTo(Cause.CONFIG_CHANGE);
  }

  /** Among all untouched requests those of the class do not show. */
  @Test
  void doesNotRuleOutWhatItNames_whenOnlyAClassMoved() {
    Attribution model = ofAClass(120, .5, .5, new Changes(true, false, false), Circumstances.NONE);
    assertThat(model.verdict().cause()).as(model.verdict().why()).isEqualTo(Cause.MODEL);
    assertThat(model.ruledOut()).noneMatch(one -> one.cause() == Cause.MODEL);

    assertThat(ofAClass(120, .5, .5).ruledOut())
        .filteredOn(one -> one.cause() == Cause.MODEL)
        .extracting(Attribution.RuledOut::because)
        .containsExactly("the model identity did not change");
  }

  /** That the other classes stayed says nothing of a fault that joins hit in one class only. */
  @Test
  void namesNeitherConfigurationNorNothing_whenThoseOfTheClassThatNobodyJoinedMayHaveStayed() {
    Circumstances fewStayed =
        new Circumstances(
            0, 0, Optional.empty(), Optional.of(new UnchangedBatch(80, .061, .01, Double.NaN)));
    for (Changes changes : List.of(CONFIGURATION, Changes.NONE)) {
      Attribution.Verdict verdict = ofAClass(120, .5, .5, changes, fewStayed).verdict();
      assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
      assertThat(verdict.why()).contains("most of them were joined by others");
    }
  }

  /** A fifth of the requests cannot show in eighty of all kinds; the configuration is on record. */
  @Test
  void namesTheConfiguration_whenThoseThatNobodyJoinedDoNotSpeakAgainstIt() {
    Circumstances fewUnclear =
        new Circumstances(
            0, 0, Optional.empty(), Optional.of(new UnchangedBatch(80, .05, .04, Double.NaN)));
    Attribution.Verdict verdict = ofAClass(120, .5, .5, CONFIGURATION, fewUnclear).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.CONFIG_CHANGE);
    assertThat(verdict.where()).isEqualTo(Map.of("prompt_class", "b"));
    assertThat(ofAClass(120, .5, .5, Changes.NONE, fewUnclear).verdict().cause())
        .isEqualTo(Cause.INCONCLUSIVE);
  }

  /** They moved by nine tenths of what all did, and surely less. */
  @Test
  void namesTheConfiguration_whenThoseThatNobodyJoinedMovedALittleLess() {
    Circumstances manyMoved =
        new Circumstances(
            0, 0, Optional.empty(), Optional.of(new UnchangedBatch(5_000, .006, .001, Double.NaN)));
    Attribution.Verdict verdict = ofAClass(120, .5, .5, CONFIGURATION, manyMoved).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.CONFIG_CHANGE);
  }
}
