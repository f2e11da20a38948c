package io.servedrift.monitors.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import io.servedrift.monitors.stats.Interval;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScenarioScorerTest {
  private static final Instant FROM = Instant.parse("2026-03-01T00:00:00Z");
  private static final Instant ONSET = FROM.plus(Duration.ofDays(15));
  private static final Instant TO = FROM.plus(Duration.ofDays(30));
  private static final Truth CACHE = Truth.worse(CauseLabel.CACHE, Map.of("cache", "hit"), "clip");

  /** A request every ten seconds. */
  private static final FinishTimes ENDS =
      FinishTimes.of(
          LongStream.range(0, 30 * 8_640)
              .map(i -> FROM.getEpochSecond() * 1_000_000 + i * 10_000_000)
              .toArray());

  private final ScenarioScorer scorer = new ScenarioScorer();

  @Test
  void measuresTheDelayInMinutesAndRequests_whenAFaultIsFound() {
    scorer.add(fault(CACHE, page(ONSET.plusSeconds(600), "clip", CauseLabel.CACHE)));
    ScenarioScorer.Row row = scorer.total();
    assertThat(row.detected().hits()).isEqualTo(1);
    assertThat(row.minutes().median()).isEqualTo(10);
    assertThat(row.requests().median()).isEqualTo(60);
    assertThat(row.causeRight().hits()).isEqualTo(1);
    assertThat(row.falseAlarms().alarms()).isZero();
    assertThat(row.falseAlarms().months()).isEqualTo(0.5);
  }

  @Test
  void takesTheFirstOutcomeInTheFaultsMetric_whenThereAreSeveral() {
    scorer.add(
        fault(
            CACHE,
            page(ONSET.plusSeconds(900), "clip", CauseLabel.BATCHING),
            page(ONSET.plusSeconds(60), "latency", CauseLabel.LOAD),
            page(ONSET.plusSeconds(300), "clip", CauseLabel.CACHE)));
    assertThat(scorer.total().minutes().median()).isEqualTo(5);
    assertThat(scorer.total().causeRight().hits()).isEqualTo(1);
  }

  @Test
  void countsAnAlarmBeforeTheOnsetAsFalse_whenTheFaultIsFoundLater() {
    scorer.add(
        fault(
            CACHE,
            page(ONSET.minusSeconds(1), "clip", CauseLabel.CACHE),
            page(ONSET, "clip", CauseLabel.CACHE)));
    assertThat(scorer.total().falseAlarms().alarms()).isEqualTo(1);
    assertThat(scorer.total().falseAlarms().silent().hits()).isZero();
    assertThat(scorer.total().minutes().median()).isZero();
  }

  @Test
  void misses_whenSomeoneHadToBeToldAndItWasOnlyRecorded() {
    scorer.add(fault(CACHE, new Outcome(ONSET.plusSeconds(60), "clip", CauseLabel.CACHE, false)));
    assertThat(scorer.total().detected().hits()).isZero();
    assertThat(scorer.total().minutes().median()).isInfinite();
    assertThat(scorer.confusion())
        .isEqualTo(Map.of(CauseLabel.CACHE, Map.of(CauseLabel.SILENCE, 1)));
  }

  @Test
  void detectsByARecord_whenNobodyHasToBeTold() {
    Truth load = Truth.worse(CauseLabel.LOAD, Map.of(), "latency").infoOnly();
    scorer.add(fault(load, new Outcome(ONSET.plusSeconds(60), "latency", CauseLabel.LOAD, false)));
    assertThat(scorer.total().detected().hits()).isEqualTo(1);
    assertThat(scorer.total().falseAlarms().alarms()).isZero();
    assertThat(scorer.total().falseAlarms().months()).isEqualTo(1);
  }

  @Test
  void countsAPageAsFalse_whenNobodyHasToBeTold() {
    Truth load = Truth.worse(CauseLabel.LOAD, Map.of(), "latency").infoOnly();
    scorer.add(fault(load, page(ONSET.plusSeconds(60), "latency", CauseLabel.LOAD)));
    assertThat(scorer.total().falseAlarms().alarms()).isEqualTo(1);
  }

  @Test
  void givesExactIntervals_whenNothingWasFalse() {
    for (int i = 0; i < 100; i++) {
      scorer.add(silence());
    }
    ScenarioScorer.FalseAlarms none = scorer.total().falseAlarms();
    assertThat(none.rate()).isZero();
    assertThat(none.perMonth().lower()).isZero();
    // Garwood: -ln(0.025) / 100.
    assertThat(none.perMonth().upper()).isCloseTo(0.0368888, offset(1e-6));
    // Clopper-Pearson: 0.025^(1/100).
    assertThat(none.silent().interval().lower()).isCloseTo(0.9637833, offset(1e-6));
  }

  @Test
  void agreesWithTablesOfThePoissonLaw_whenEventsAreCounted() {
    // Garwood's table for 10 events: 4.795 to 18.39.
    Interval ten = PoissonInterval.rate(10, 1, 0.95);
    assertThat(ten.lower()).isCloseTo(4.795, offset(5e-4));
    assertThat(ten.upper()).isCloseTo(18.390, offset(5e-4));
    assertThatThrownBy(() -> PoissonInterval.rate(1, 0, 0.95))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void putsMissedFaultsLast_whenDelaysAreSummarised() {
    for (int i = 1; i <= 20; i++) {
      Outcome[] said =
          i <= 12
              ? new Outcome[] {page(ONSET.plusSeconds(60L * i), "clip", CauseLabel.CACHE)}
              : new Outcome[0];
      scorer.add(fault(CACHE, said));
    }
    ScenarioScorer.Row row = scorer.total();
    assertThat(row.minutes().median()).isEqualTo(10);
    // Ranks 6 and 15 of 20 hold the median with 95 %; the 15th was missed.
    assertThat(row.minutes().lower()).isEqualTo(6);
    assertThat(row.minutes().upper()).isInfinite();
    assertThat(row.minutes().p90()).isInfinite();
    assertThat(row.detected().value()).isEqualTo(0.6);
  }

  @Test
  void leavesUndecidedOut_whenAskedForThoseThatDecide() {
    scorer.add(fault(CACHE, page(ONSET, "clip", CauseLabel.CACHE)));
    scorer.add(fault(CACHE, page(ONSET, "clip", CauseLabel.INCONCLUSIVE)));
    scorer.add(fault(CACHE, page(ONSET, "clip", CauseLabel.MODEL)));
    ScenarioScorer.Row row = scorer.total();
    assertThat(row.causeRight().hits()).isEqualTo(1);
    assertThat(row.causeRight().n()).isEqualTo(3);
    assertThat(row.rightWhenDecided().n()).isEqualTo(2);
    assertThat(row.servingCalledModel().hits()).isEqualTo(1);
  }

  @Test
  void acceptsEveryRightAnswer_whenThereIsMoreThanOne() {
    scorer.add(fault(CACHE.or(CauseLabel.BATCHING), page(ONSET, "clip", CauseLabel.BATCHING)));
    assertThat(scorer.total().causeRight().hits()).isEqualTo(1);
  }

  @Test
  void printsOneRowPerGroupAndTheMatrix_whenAskedForTheTable() {
    scorer.add(fault(CACHE, page(ONSET.plusSeconds(600), "clip", CauseLabel.BATCHING)));
    scorer.add(silence());
    assertThat(scorer.table().lines().map(line -> line.replaceAll(" {2,}", " | ")))
        .containsExactly(
            "group | series | detected | delay, min (95 %) | delay, requests (95 %)"
                + " | false alarms per month (95 %) | cause right | right when decided"
                + " | serving called model",
            "fault | 1 | 1/1 1.000 (0.025..1.000) | 10 (0..never) p90 10 | 60 (0..never) p90 60"
                + " | 0 in 0.5 months, 0.000 (0.000..7.378) | 0/1 0.000 (0.000..0.975)"
                + " | 0/1 0.000 (0.000..0.975) | 0/1 0.000 (0.000..0.975)",
            "silence | 1 | - | - | - | 0 in 1.0 months, 0.000 (0.000..3.689) | - | - | -",
            "all | 2 | 1/1 1.000 (0.025..1.000) | 10 (0..never) p90 10 | 60 (0..never) p90 60"
                + " | 0 in 1.5 months, 0.000 (0.000..2.459) | 0/1 0.000 (0.000..0.975)"
                + " | 0/1 0.000 (0.000..0.975) | 0/1 0.000 (0.000..0.975)",
            "",
            "true cause by row, called by column; silence: not found, or rightly silent",
            "true | batching | silence",
            "cache | 1 | 0",
            "silence | 0 | 1");
  }

  private static Observation fault(Truth truth, Outcome... outcomes) {
    return new Observation("fault", truth, FROM, ONSET, TO, ENDS, List.of(outcomes));
  }

  private static Observation silence(Outcome... outcomes) {
    return new Observation(
        "silence", Truth.SILENCE, FROM, FROM, TO, FinishTimes.UNKNOWN, List.of(outcomes));
  }

  private static Outcome page(Instant at, String metric, CauseLabel cause) {
    return new Outcome(at, metric, cause, true);
  }
}
