package io.servedrift.ingest.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class TickScheduleTest {
  private static final ImportSettings SETTINGS = ImportSettings.of(Map.of(), "history");

  @Test
  void ticksAtEachBoundaryThatHasEvents_whenTrafficIsSteady() {
    TickSchedule schedule = new TickSchedule(SETTINGS);

    assertThat(schedule.before(at("10:00:05"))).containsExactly(at("10:00:00"));
    assertThat(schedule.before(at("10:00:59"))).isEmpty();
    assertThat(schedule.before(at("10:01:00"))).containsExactly(at("10:01:00"));
    assertThat(schedule.before(at("10:02:30"))).containsExactly(at("10:02:00"));
  }

  @Test
  void closesThePaneBeforeAGap_andTicksAgainBeforeTheNextEvent() {
    TickSchedule schedule = new TickSchedule(SETTINGS);
    List<Instant> first = schedule.before(at("10:00:59"));

    assertThat(first).containsExactly(at("10:00:00"));
    assertThat(schedule.before(at("13:00:07"))).containsExactly(at("10:02:00"), at("13:00:00"));
  }

  @Test
  void passesTheLateHorizon_atTheEnd() {
    TickSchedule schedule = new TickSchedule(SETTINGS);
    schedule.before(at("10:00:59"));

    assertThat(schedule.end()).containsExactly(at("10:02:00"), at("10:19:00"));
  }

  @Test
  void writesNothing_whenThereIsNoEvent() {
    assertThat(new TickSchedule(SETTINGS).end()).isEmpty();
  }

  @Property(tries = 300)
  void keepsEveryEventWithinAPaneAheadOfTheLastTick(
      @ForAll @NotEmpty List<@LongRange(min = 0, max = 20_000_000) Long> millis) {
    TickSchedule schedule = new TickSchedule(SETTINGS);
    List<Instant> ticks = new ArrayList<>();
    for (long t : millis.stream().sorted().toList()) {
      Instant event = Instant.ofEpochMilli(t);
      ticks.addAll(schedule.before(event));
      Instant last = ticks.get(ticks.size() - 1);
      assertThat(event).isBetween(last, last.plusSeconds(60).minusMillis(1));
    }
    ticks.addAll(schedule.end());
    assertThat(ticks).isSorted().doesNotHaveDuplicates();
    Instant lastEvent = Instant.ofEpochMilli(millis.stream().max(Long::compare).orElseThrow());
    assertThat(Duration.between(lastEvent, ticks.get(ticks.size() - 1)))
        .isGreaterThanOrEqualTo(Duration.ofMinutes(17).plusSeconds(10));
  }

  private static Instant at(String time) {
    return Instant.parse("2026-01-01T" + time + "Z");
  }
}
