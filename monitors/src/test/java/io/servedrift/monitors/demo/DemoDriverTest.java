package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.EventTimes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class DemoDriverTest {
  private static final Instant START = Instant.parse("2026-11-30T10:00:00Z");

  private static final class MovingClock extends Clock {
    private Instant now = START;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  @Test
  void offersEachEventAtItsTime_whenTheClockMoves() {
    MovingClock clock = new MovingClock();
    TrafficModel traffic = new TrafficModel(1, START);
    List<SpecificRecord> some = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      some.add(traffic.next());
    }
    List<SpecificRecord> offered = new ArrayList<>();
    DemoDriver driver =
        new DemoDriver(
            some.iterator(),
            event -> {
              assertThat(clock.now).isAfterOrEqualTo(EventTimes.of(event));
              assertThat(Duration.between(EventTimes.of(event), clock.now))
                  .isLessThan(Duration.ofMillis(1));
              offered.add(event);
              return offered.size() % 100 != 0;
            },
            clock,
            time -> clock.now = clock.now.plus(time));
    driver.run();
    assertThat(offered).isEqualTo(some);
    assertThat(driver.offered()).isEqualTo(495);
    assertThat(driver.refused()).isEqualTo(5);
  }

  @Test
  void stopsOffering_whenClosed() {
    MovingClock clock = new MovingClock();
    List<SpecificRecord> offered = new ArrayList<>();
    DemoDriver[] driver = new DemoDriver[1];
    driver[0] =
        new DemoDriver(
            new TrafficModel(1, START),
            event -> {
              offered.add(event);
              if (offered.size() == 10) {
                driver[0].close();
              }
              return true;
            },
            clock,
            time -> clock.now = clock.now.plus(time));
    driver[0].run();
    Thread.interrupted();
    assertThat(offered).hasSize(10);
  }
}
