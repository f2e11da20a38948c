package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a window says beside its cells: a node that stands out, requests that nobody joined. */
class NodeAndCompositionTest {
  private static final CellAxes AXES =
      new CellAxes(
          1, List.of("a"), List.of("miss"), List.of("2-3", "4-7"), List.of("no"), List.of("*"));

  private static CellCube slow(double n, double small, double large) {
    CellCube.Builder builder = CellCube.over(AXES);
    double[] rates = {small, large};
    for (int batch = 0; batch < rates.length; batch++) {
      double sum = Math.rint(n / 2 * rates[batch]);
      builder.add(0, "a", "miss", AXES.batches().get(batch), "no", "*", n / 2, sum, sum);
    }
    return builder.build();
  }

  private static CellCube scores(double n, double mean) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (String batch : AXES.batches()) {
      double m = n / 2;
      builder.add(0, "a", "miss", batch, "no", "*", m, m * mean, m * (mean * mean + .0009));
    }
    return builder.build();
  }

  private static Attribution found(
      CellCube reference,
      CellCube block,
      CellCube window,
      List<Margin> margins,
      Circumstances circumstances,
      Measure measure) {
    return found(reference, block, window, margins, circumstances, measure, Changes.NONE);
  }

  private static Attribution found(
      CellCube reference,
      CellCube block,
      CellCube window,
      List<Margin> margins,
      Circumstances circumstances,
      Measure measure,
      Changes changes) {
    return new Attributor()
        .attribute(
            new AttributionInput(
                reference,
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                margins,
                List.of(),
                circumstances,
                measure,
                changes,
                Map.of()));
  }

  private static Attribution largeBatchesInTheTail(Optional<NodeContrast> node) {
    return found(
        slow(20_000, .001, .001),
        slow(2_000, .001, .001),
        slow(3_000, .001, .06),
        List.of(),
        new Circumstances(0, 0, node, Optional.empty()),
        Measure.latencyExceedance().adjusted(1).withUnevenness(.3));
  }

  @Test
  void saysNode_whenOnlyItMovedAtAQuantileThatAllReach() {
    Attribution found =
        largeBatchesInTheTail(Optional.of(new NodeContrast("gpu-1", .5, .6, .05, -.02)));
    assertThat(found.verdict().cause()).isEqualTo(Cause.NODE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("node", "gpu-1"));
    assertThat(found.verdict().why()).contains("beyond the p50", "+0.6", "node=gpu-1");
  }

  @Test
  void saysBatching_whenNoNodeStandsOut() {
    assertThat(largeBatchesInTheTail(Optional.empty()).verdict().cause()).isEqualTo(Cause.BATCHING);
  }

  private static Attribution allLoseClip(UnchangedBatch few, List<Margin> margins) {
    return allLoseClip(few, margins, Changes.NONE);
  }

  private static Attribution allLoseClip(
      UnchangedBatch few, List<Margin> margins, Changes changes) {
    return found(
        scores(20_000, .31),
        scores(2_000, .31),
        scores(3_000, .29),
        margins,
        new Circumstances(0, 0, Optional.empty(), Optional.of(few)),
        Measure.scoreMean().adjusted(-1).withUnevenness(.3),
        changes);
  }

  @Test
  void doesNotSayUnexplained_whenThoseThatNobodyJoinedStayed() {
    Attribution found = allLoseClip(new UnchangedBatch(80, .019, .0035, Double.NaN), List.of());
    assertThat(found.verdict().cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(found.verdict().why()).contains("joined", "n=80");
  }

  @Test
  void doesNotSayUnexplained_whenTooFewWereNotJoined() {
    Attribution found = allLoseClip(new UnchangedBatch(7, 0, .012, Double.NaN), List.of());
    assertThat(found.verdict().cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(found.verdict().why()).contains("7 whose batch did not change say nothing");
  }

  @Test
  void saysUnexplained_whenThoseThatNobodyJoinedMovedToo() {
    Attribution found = allLoseClip(new UnchangedBatch(80, .001, .0035, Double.NaN), List.of());
    assertThat(found.verdict().cause()).isEqualTo(Cause.UNEXPLAINED);
  }

  /** 2900 of 3000 were joined; the hundred others moved by a part of the -0.02. */
  private static Attribution joined(double othersMoved, double error) {
    return joined(othersMoved, error, Changes.NONE);
  }

  private static Attribution joined(double othersMoved, double error, Changes changes) {
    double share = 2900 / 3000.0;
    double relative = -(1 - share) / share * (othersMoved + .02);
    double sd = error * (1 - share) / share;
    return allLoseClip(
        new UnchangedBatch(100, othersMoved + .02, error, Double.NaN),
        List.of(new Margin("composition", "joined", Cause.BATCHING, 2900, relative, sd * sd)),
        changes);
  }

  private static final Changes MODEL = new Changes(true, false, false);

  @Test
  void saysModel_whenItChangedAndTooFewWereNotJoinedToTell() {
    UnchangedBatch few = new UnchangedBatch(7, 0, .012, Double.NaN);
    assertThat(allLoseClip(few, List.of(), MODEL).verdict().cause()).isEqualTo(Cause.MODEL);
  }

  @Test
  void saysModel_whenItChangedAndAFewOfOtherClassesSeemToHaveStayed() {
    assertThat(joined(-.003, .003).verdict().cause()).isEqualTo(Cause.BATCHING);
    assertThat(joined(-.003, .003, MODEL).verdict().cause()).isEqualTo(Cause.MODEL);
  }

  @Test
  void saysBatching_whenTheFewOthersAreSurelyNearerToNothing() {
    assertThat(joined(-.008, .003).verdict().cause()).isEqualTo(Cause.BATCHING);
  }

  @Test
  void doesNotSayBatching_whenTheFewOthersMayHaveMovedAlike() {
    assertThat(joined(-.006, .0048).verdict().cause()).isNotEqualTo(Cause.BATCHING);
  }

  /** A third of the requests lost .08 of a score while a drift raised the others by .01. */
  private static Attribution oneLevelWorse(String covariate, String level, Cause cause) {
    return allLoseClip(
        new UnchangedBatch(80, .019, .0035, Double.NaN),
        List.of(new Margin(covariate, level, cause, 1_000, -.06, 1e-6)));
  }

  @Test
  void saysNode_whenTheOthersMovedTheOtherWay() {
    Attribution found = oneLevelWorse("node", "gpu-1", Cause.NODE);
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.NODE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("node", "gpu-1"));
    assertThat(found.verdict().why()).contains("the others moved by +0.01");
  }

  /** What tells requests apart by more than a machine may be something else that both have. */
  @Test
  void doesNotSayCache_whenTheOthersMovedTheOtherWay() {
    assertThat(oneLevelWorse("prefix_tier", "host", Cause.CACHE).verdict().cause())
        .isNotEqualTo(Cause.CACHE);
  }

  private static final CellAxes COINCIDING =
      new CellAxes(
          1,
          List.of("a"),
          List.of("hit", "miss"),
          List.of("2-3", "8-15"),
          List.of("no"),
          List.of("*"));

  private static CellCube coinciding(double n, double hits, double misses) {
    CellCube.Builder builder = CellCube.over(COINCIDING);
    double hit = n / 4;
    double miss = n - hit;
    builder.add(0, "a", "hit", "8-15", "no", "*", hit, hit * hits, hit * (hits * hits + .0009));
    builder.add(
        0, "a", "miss", "2-3", "no", "*", miss, miss * misses, miss * (misses * misses + .0009));
    return builder.build();
  }

  /** All hits ran in large batches; misses wandered by .002, and less at like load. */
  private static Attribution hitsMoved(double requests) {
    double within = (-.03 - 3 * .002) / 4;
    return found(
        coinciding(20_000, .31, .31),
        coinciding(2_000, .31, .31),
        coinciding(4_000, .28, .308),
        List.of(
            new Margin(
                "conditioning",
                "hit",
                Cause.CACHE,
                requests,
                within * 4_000 / requests - within,
                1e-6)),
        Circumstances.NONE,
        Measure.scoreMean().adjusted(-1).withUnevenness(.3));
  }

  @Test
  void doesNotTellHitsFromTheirBatches_byAMarginOfTheSameRequests() {
    Attribution.Verdict verdict = hitsMoved(1_000).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(verdict.why()).contains("cache=hit and batch=8-15 coincide");
  }

  @Test
  void saysCache_whenAMarginOfFarFewerHitsAccountsForIt() {
    Attribution.Verdict verdict = hitsMoved(300).verdict();
    assertThat(verdict.cause()).as(verdict.why()).isEqualTo(Cause.CACHE);
  }

  /** Step reuse is no axis of the cells: nobody else asks for it. */
  @Test
  void saysCache_whenRequestsOfOneStepReuseMoved_asManyAsHits() {
    Attribution found =
        allLoseClip(
            new UnchangedBatch(80, .019, .0035, Double.NaN),
            List.of(new Margin("denoise_share", "25-50%", Cause.CACHE, 1_000, -.04, 1e-6)));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.CACHE);
    assertThat(found.verdict().where()).isEqualTo(Map.of("denoise_share", "25-50%"));
  }

  @Test
  void namesNoNode_whenTwoOfThreeGotWorse() {
    Attribution found =
        allLoseClip(
            new UnchangedBatch(80, .001, .0035, Double.NaN),
            List.of(
                new Margin("node", "gpu-0", Cause.NODE, 1_000, -.07, 1e-6),
                new Margin("node", "gpu-1", Cause.NODE, 1_000, -.07, 1e-6),
                new Margin("node", "gpu-2", Cause.NODE, 1_000, .14, 1e-6)));
    assertThat(found.verdict().cause()).as(found.verdict().why()).isNotEqualTo(Cause.NODE);
  }
}
