package io.servedrift.monitors.judge;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Microseconds since the epoch, the judge's unit of time. */
final class Micros {
  static final long MINUTE = 60_000_000L;
  static final long HOUR = 60 * MINUTE;
  static final long DAY = 24 * HOUR;

  private Micros() {}

  static long of(Instant instant) {
    // Not by ChronoUnit, which counts in nanoseconds on the way and ends in 2262.
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1000);
  }

  static long of(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.toSeconds()) + duration.toNanosPart() / 1000;
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  static String text(long micros) {
    return instant(micros).toString();
  }
}
