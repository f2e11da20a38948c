package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A queue that fills up: batches larger than ever, all of them slow. */
class GrownBatchesTest {
  private static final CellAxes AXES =
      new CellAxes(
          1,
          List.of("a", "b"),
          List.of("miss"),
          List.of("2-3", "4-7", "8-15", "16+"),
          List.of("no"),
          List.of("*"));

  private static CellCube traffic(double[] n, double... slow) {
    CellCube.Builder builder = CellCube.over(AXES);
    for (String group : AXES.classes()) {
      for (int batch = 0; batch < n.length; batch++) {
        double sum = Math.rint(n[batch] / 2 * slow[batch]);
        builder.add(0, group, "miss", AXES.batches().get(batch), "no", "*", n[batch] / 2, sum, sum);
      }
    }
    return builder.build();
  }

  private static final CellCube BEFORE = traffic(new double[] {3000, 16_000, 800, 0}, 0, 0, .02, 0);

  private static Attribution found(CellCube window, double grownByLoad, Map<Cause, Double> events) {
    CellCube block = traffic(new double[] {300, 1600, 80, 0}, 0, 0, .02, 0);
    return new Attributor()
        .attribute(
            new AttributionInput(
                BEFORE,
                List.of(block, block, block),
                window,
                List.of(window),
                AttributionInput.Basis.SAME_CONFIGURATION,
                List.of(),
                List.of(),
                new Circumstances(0, grownByLoad, Optional.empty(), Optional.empty()),
                Measure.latencyExceedance().adjusted(1).withUnevenness(.3),
                Changes.NONE,
                events));
  }

  private static CellCube full() {
    return traffic(new double[] {150, 2500, 1400, 750}, 0, 0, .3, 1);
  }

  @Test
  void saysLoad_whenTheShiftLiesInBatchesThatALoadNeverSeenMadeLargerThanEver() {
    Attribution found = found(full(), .9, Map.of());
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.LOAD);
    assertThat(found.verdict().mechanism()).isEqualTo(Mechanism.EXPOSURE);
    assertThat(found.verdict().why()).contains("750 requests");
  }

  @Test
  void doesNotSayLoad_whenBatchesGrewAtLoadsThatWereSeen() {
    assertThat(found(full(), .1, Map.of()).verdict().cause()).isNotEqualTo(Cause.LOAD);
  }

  @Test
  void doesNotSayLoad_whenTheBatchLimitWasChanged() {
    Attribution found = found(full(), .9, Map.of(Cause.BATCHING, 2.0));
    assertThat(found.verdict().cause()).isNotEqualTo(Cause.LOAD);
  }

  @Test
  void doesNotSayLoad_whenNoSmallerBatchIsLeftToCompareWith() {
    CellCube window = traffic(new double[] {0, 0, 1400, 750}, 0, 0, .3, 1);
    assertThat(found(window, .9, Map.of()).verdict().cause()).isNotEqualTo(Cause.LOAD);
  }

  @Test
  void saysBatching_whenBatchesThatAreKnownGotSlower() {
    CellCube window = traffic(new double[] {150, 2500, 1400, 20}, 0, 0, .5, 1);
    Attribution found = found(window, .9, Map.of());
    assertThat(found.verdict().cause()).as(found.verdict().why()).isEqualTo(Cause.BATCHING);
  }

  @Test
  void doesNotSayLoad_whenSmallBatchesMovedToo() {
    CellCube window = traffic(new double[] {1500, 2500, 1400, 750}, .4, .4, .5, 1);
    assertThat(found(window, .9, Map.of()).verdict().cause()).isNotEqualTo(Cause.LOAD);
  }

  /** Those below the largest bucket of the window, whatever the largest did. */
  @Test
  void tellsRequestsWithRoom_fromThoseInTheLargestBatches() {
    CleanPath full = found(full(), .9, Map.of()).withRoom();
    assertThat(full.requests()).isEqualTo(150 + 2500 + 1400);
    Attribution waited =
        found(traffic(new double[] {150, 2500, 1400, 750}, .1, .1, .1, .1), .1, Map.of());
    assertThat(waited.withRoom().moved(waited.split().within())).isTrue();
    assertThat(full.moved(.3)).isFalse();
  }

  @Test
  void givesAnotherAnswer_andKeepsItsNumbers() {
    Attribution own = found(full(), .1, Map.of());
    Attribution other = own.answered(Cause.SCHEDULING, 1.2, "they waited");
    assertThat(other.verdict().cause()).isEqualTo(Cause.SCHEDULING);
    assertThat(other.verdict().share()).isEqualTo(1);
    assertThat(other.verdict().why()).isEqualTo("they waited");
    assertThat(other.nextTest().what()).contains("one at a time");
    assertThat(other.split()).isEqualTo(own.split());
    assertThat(other.contributing()).noneMatch(one -> one.cause() == Cause.SCHEDULING);
  }

  @Test
  void isInconclusive_whenItsCauseIsDoubted() {
    Attribution doubted = found(full(), .1, Map.of()).doubted("they met full batches");
    assertThat(doubted.verdict().cause()).isEqualTo(Cause.INCONCLUSIVE);
    assertThat(doubted.verdict().undecided()).isNotNull();
    assertThat(doubted.nextTest().what()).contains("one thing changed at a time");
  }
}
