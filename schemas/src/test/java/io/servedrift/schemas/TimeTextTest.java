package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-11-30T10:00:03.530Z        | 2026-11-30T10:00:03.530Z",
        "2026-11-30T10:00:03.1234567Z    | 2026-11-30T10:00:03.123456Z",
        "2026-11-30T10:00:03.123456789123Z | 2026-11-30T10:00:03.123456Z",
        "2026-11-30T10:00:03,5Z          | 2026-11-30T10:00:03.500Z",
        "2026-11-30T10:00Z               | 2026-11-30T10:00:00Z",
        "2026-11-30t10:00:03z            | 2026-11-30T10:00:03Z",
        "2026-11-30 10:00:03+00:00       | 2026-11-30T10:00:03Z",
        "2026-11-30T11:30:03+01:30       | 2026-11-30T10:00:03Z",
        "2026-11-30T05:00:03-0500        | 2026-11-30T10:00:03Z",
        "2026-11-30T11:00:03+01          | 2026-11-30T10:00:03Z",
        "2024-02-29T00:00:00Z            | 2024-02-29T00:00:00Z"
      })
  void readsTime(String text, Instant expected) {
    assertThat(TimeText.ofMicros(TimeText.parse(text))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-30T10:00:03",
        "2026-11-30 10:00:03.123",
        "2026-11-30T10:00",
        "2026-11-30T10:00:03.1234567"
      })
  void saysNoZone_whenZoneIsMissing(String text) {
    assertThat(TimeText.parse(text)).isEqualTo(TimeText.NO_ZONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "now",
        "2026-11-30",
        "2026-11-30T24:00:00Z",
        "2026-13-01T10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2026-11-30T10:60:00Z",
        "2026-11-30T10:00:60Z",
        "2026-11-30T10:00:03.Z",
        "2026-11-30T10:00:03Zulu",
        "2026-11-30T10:00:03+1",
        "2026-11-30T10:00:03+25:00",
        "2026-11-30T10:00:03 Europe/Berlin",
        "26-11-30T10:00:03Z__",
        "2026-11-30T10:00:3Z",
        "30.11.2026 10:00:03Z",
        "٢٠٢٦-11-30T10:00:00Z"
      })
  void saysNotATime_whenTextIsSomethingElse(String text) {
    assertThat(TimeText.parse(text)).isEqualTo(TimeText.NOT_A_TIME);
  }

  @Property
  void readsWhatJavaWrites(
      @ForAll @LongRange(min = 946_684_800_000_000L, max = 4_102_444_799_999_999L) long micros,
      @ForAll @IntRange(min = -64, max = 64) int quarterHours) {
    Instant t = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    ZoneOffset zone = ZoneOffset.ofTotalSeconds(quarterHours * 900);
    assertThat(TimeText.parse(t.atOffset(zone).toString())).isEqualTo(micros);
    assertThat(TimeText.parse(t.toString())).isEqualTo(micros);
  }
}
