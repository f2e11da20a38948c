package io.servedrift.monitors.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.judge.SeriesStanding;
import io.servedrift.monitors.judge.SeriesStanding.State;
import io.servedrift.monitors.ops.SeriesJudgement;
import io.servedrift.monitors.ops.SeriesJudgement.Verdict;
import io.servedrift.monitors.ops.SeriesSample;
import io.servedrift.monitors.pane.SeriesKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandingBoardTest {
  private final StandingBoard board = new StandingBoard();

  private static SeriesStanding standing(State state) {
    return new SeriesStanding(
        new SeriesKey("d", "m", "c", "clip"),
        state,
        "learned",
        5000,
        .31,
        Double.NaN,
        .29,
        Double.NaN);
  }

  private static SeriesSample sample(long n) {
    Double lower = n < 2 ? null : .3;
    return new SeriesSample(
        "d",
        "m",
        "c",
        "clip",
        "5m",
        Instant.EPOCH,
        n,
        .31,
        null,
        null,
        null,
        .31,
        lower,
        lower,
        null);
  }

  private SeriesJudgement judgement(long n) {
    return board.judged(List.of(sample(n))).get(0).judgement();
  }

  @ParameterizedTest
  @CsvSource({
    "HOLDS, 500, PASS",
    "HOLDS, 1, INSUFFICIENT",
    "DRIFTED, 500, DRIFT",
    "DRIFTED, 1, DRIFT",
    "NO_BASELINE, 500, INSUFFICIENT"
  })
  void saysHowASeriesStands(State state, long n, Verdict verdict) {
    board.judged("d", () -> List.of(standing(state)));
    assertThat(judgement(n).verdict()).isEqualTo(verdict);
  }

  @Test
  void passesOnWhatIsKnown_andLeavesTheRestOut() {
    board.judged("d", () -> List.of(standing(State.HOLDS)));
    assertThat(judgement(500)).isEqualTo(new SeriesJudgement(Verdict.PASS, .31, null, .29, null));
    assertThat(board.judged(List.of(sample(500))).get(0).mean()).isEqualTo(.31);
  }

  @Test
  void saysNothing_whenThePolicyDoesNotJudgeTheMetric() {
    board.judged("d", () -> List.of(standing(State.NOT_JUDGED)));
    assertThat(judgement(500)).isNull();
  }

  @Test
  void saysNothing_whenAnotherInstanceJudges() {
    assertThat(judgement(500)).isNull();
    board.judged("d", () -> List.of(standing(State.HOLDS)));
    board.forgotten("d");
    assertThat(judgement(500)).isNull();
  }
}
