package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellHistoryTest {
  private static final long MINUTE = 60_000_000L;

  private static CellHistory minutes(int from, int to) {
    CellHistory history = new CellHistory();
    for (int minute = from; minute < to; minute++) {
      var pane =
          Panes.pane(Panes.CLIP, minute, Map.of(List.of("batch=1", "cache=hit"), Panes.of(0.3, 2)));
      history.add(CellSlot.of(pane, pane.series().get(0)));
    }
    return history;
  }

  @Test
  void knowsTheLastHourByThePane() {
    CellSlot found = minutes(0, 100).range(90 * MINUTE, 97 * MINUTE).orElseThrow();
    assertThat(found.total().n()).isEqualTo(14);
    assertThat(found.fromMicros()).isEqualTo(90 * MINUTE);
    assertThat(found.toMicros()).isEqualTo(97 * MINUTE);
    assertThat(found.buckets()).containsOnlyKeys("batch=1", "cache=hit");
    assertThat(found.pairs()).containsOnlyKeys(new CellSlot.Pair("hit", "1"));
    assertThat(found.total().mean()).isCloseTo(0.3, within(1e-12));
  }

  @Test
  void losesNothingOfWhatItHolds() {
    int day = 24 * 60;
    CellSlot all = minutes(0, day).range(0, day * MINUTE).orElseThrow();
    assertThat(all.total().n()).isEqualTo(2L * day);
    assertThat(all.bins().n()).isEqualTo(2L * day);
  }

  @Test
  void saysWhatItCountedOfAnOlderRange_wholeSlotsOnly() {
    CellSlot found = minutes(0, 24 * 60).range(61 * MINUTE, 185 * MINUTE).orElseThrow();
    assertThat(found.fromMicros()).isEqualTo(120 * MINUTE);
    assertThat(found.toMicros()).isEqualTo(180 * MINUTE);
    assertThat(found.total().n()).isEqualTo(120);
  }

  @Test
  void forgetsWhatIsOlderThanAWeek() {
    int days = 10 * 24 * 60;
    CellHistory history = minutes(0, days);
    assertThat(history.range(0, 24 * 60 * MINUTE)).isEmpty();
    CellSlot kept = history.range(0, days * MINUTE).orElseThrow();
    assertThat(kept.fromMicros()).isBetween(2 * 24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE);
    assertThat(kept.total().n()).isEqualTo(2 * (days - kept.fromMicros() / MINUTE));
  }

  @Test
  void isEmpty_outsideOfWhatItSaw() {
    assertThat(minutes(100, 110).range(0, 100 * MINUTE)).isEmpty();
  }
}
