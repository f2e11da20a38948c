package io.servedrift.monitors.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaintenanceTest {

  private static boolean covered(String weekly, String zone, String instant) {
    Policy policy =
        Policy.parse(
            "maintenance: [{deployment: d, weekly: \""
                + weekly
                + "\", zone: \""
                + zone
                + "\", why: w}]",
            "p.yaml");
    return policy.maintenance("d", micros(instant)).isPresent();
  }

  private static long micros(String instant) {
    Instant time = Instant.parse(instant);
    return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
  }

  /** 2026-11-29 is a Sunday. */
  @ParameterizedTest
  @CsvSource({
    "Sun 02:00-04:00, UTC, 2026-11-29T01:59:59.999999Z, false",
    "Sun 02:00-04:00, UTC, 2026-11-29T02:00:00Z, true",
    "Sun 02:00-04:00, UTC, 2026-11-29T03:59:59.999999Z, true",
    "Sun 02:00-04:00, UTC, 2026-11-29T04:00:00Z, false",
    "Sun 02:00-04:00, UTC, 2026-11-30T03:00:00Z, false",
    "Sun 02:00-04:00, +05:30, 2026-11-28T20:29:00Z, false",
    "Sun 02:00-04:00, +05:30, 2026-11-28T20:30:00Z, true",
    "Sun 02:00-04:00, +05:30, 2026-11-28T22:30:00Z, false",
    "Sun 00:00-02:00, -08:00, 2026-11-29T08:00:00Z, true",
    "Sun 23:00-01:00, UTC, 2026-11-29T22:59:00Z, false",
    "Sun 23:00-01:00, UTC, 2026-11-29T23:00:00Z, true",
    "Sun 23:00-01:00, UTC, 2026-11-30T00:59:00Z, true",
    "Sun 23:00-01:00, UTC, 2026-11-30T01:00:00Z, false",
    "Sun 23:00-01:00, UTC, 2026-11-29T00:30:00Z, false",
    "Sun 00:00-24:00, UTC, 2026-11-29T23:59:59Z, true",
    "Sun 00:00-24:00, UTC, 2026-11-30T00:00:00Z, false",
    "Sun 02:00-04:00, Europe/Berlin, 2026-11-29T01:00:00Z, true",
    "Sun 02:00-04:00, Europe/Berlin, 2026-07-05T00:00:00Z, true",
    "Sun 02:00-04:00, Europe/Berlin, 2026-07-05T02:00:00Z, false"
  })
  void coversTheHoursOfItsZone(String weekly, String zone, String instant, boolean covered) {
    assertThat(covered(weekly, zone, instant)).isEqualTo(covered);
  }

  @Test
  void coversARangeOnce() {
    Policy policy =
        Policy.parse(
            """
            maintenance:
              - {deployment: d, from: 2026-11-29T10:00:00Z, to: 2026-11-29T11:00:00Z, why: racks}
              - {deployment: "*", from: 2026-11-29T12:00:00Z, to: 2026-11-29T13:00:00Z, why: all}
            """,
            "p.yaml");

    assertThat(policy.maintenance("d", micros("2026-11-29T09:59:59.999999Z"))).isEmpty();
    assertThat(policy.maintenance("d", micros("2026-11-29T10:00:00Z"))).contains("racks");
    assertThat(policy.maintenance("d", micros("2026-11-29T11:00:00Z"))).isEmpty();
    assertThat(policy.maintenance("e", micros("2026-11-29T10:00:00Z"))).isEmpty();
    assertThat(policy.maintenance("e", micros("2026-11-29T12:30:00Z"))).contains("all");
  }
}
