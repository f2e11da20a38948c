package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
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
    return new Attributor()
        .attribute(
            new AttributionInput(
                scores(5_000, .31, 15_000, .31),
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                Changes.NONE,
                Map.of()))
        .verdict();
  }

  @Test
  void saysUnexplained_whenSeventyUntouchedRequestsMovedByTwoThirdsOfAStandardDeviation() {
    Attribution.Verdict verdict = verdict(scores(70, .29, 2_930, .29));
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.UNEXPLAINED);
    assertThat(verdict.why()).contains("n=70");
  }

  /** Half of a third of a standard deviation is 1.4 standard errors of seventy requests. */
  @Test
  void asksForAHundred_whenHalfOfTheShiftIsNoise() {
    Attribution.Verdict verdict = verdict(scores(70, .30, 2_930, .30));
    assertThat(verdict.cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=70; 100 are needed");
  }

  @Test
  void asksForAHundred_howeverFarTwentyMoved() {
    Attribution.Verdict verdict = verdict(scores(20, .25, 2_980, .25));
    assertThat(verdict.cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("n=20; 100 are needed");
  }

  @Test
  void doesNotSayUnexplained_whenTheSeventyStayed() {
    Attribution.Verdict verdict = verdict(scores(70, .31, 2_930, .29));
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

  /** Answers that are right or wrong; few small batches are of class b. */
  private static CellCube answers(double size, double rightOfA, double rightOfSmallB, double b) {
    CellCube.Builder builder = CellCube.over(TWO_CLASSES);
    answers(builder, "a", "2-3", 400 * size, rightOfA);
    answers(builder, "a", "4-7", 2_000 * size, rightOfA);
    answers(builder, "b", "2-3", 50 * size, rightOfSmallB);
    answers(builder, "b", "4-7", 1_000 * size, b);
    return builder.build();
  }

  private static void answers(
      CellCube.Builder to, String ofClass, String batch, double n, double share) {
    double right = Math.rint(n * share);
    to.add(0, ofClass, "miss", batch, "no", "*", n, right, right);
  }

  private static Attribution.Verdict ofAClass(double smallB, double largeB) {
    CellCube block = answers(1, .8, .8, .8);
    return new Attributor()
        .attribute(
            new AttributionInput(
                answers(5, .8, .8, .8),
                List.of(block, block, block),
                answers(1, .8, smallB, largeB),
                List.of(answers(1, .8, smallB, largeB)),
                AttributionInput.Basis.PREDECESSOR,
                List.of(),
                Measure.scoreMean().adjusted(-1).withUnevenness(.3),
                new Changes(false, true, false),
                Map.of()))
        .verdict();
  }

  /** Over all classes the clean path moved by a third of what all requests did. */
  @Test
  void looksAtTheCleanPathOfTheClassThatMoved() {
    Attribution.Verdict verdict = ofAClass(.5, .5);
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.CONFIG_CHANGE);
    assertThat(verdict.where()).isEqualTo(Map.of("prompt_class", "b"));
    assertThat(verdict.why()).contains("of the class that moved", "n=50");
  }

  @Test
  void namesNoConfiguration_whenOnlyLargeBatchesOfTheClassMoved() {
    Attribution.Verdict verdict = ofAClass(.8, .5);
    assertThat(verdict.cause()).as(verdict.why()).isNotEqualTo(Cause.CONFIG_CHANGE);
  }
}
