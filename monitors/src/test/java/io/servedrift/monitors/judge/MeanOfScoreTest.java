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
import io.servedrift.monitors.stats.Interval;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a tail may take from the mean: a serving cause, where it only lacks requests. */
class MeanOfScoreTest {
  private static final CleanPath FEW = new CleanPath(.01, .02, 12, true, true, true);

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
}
