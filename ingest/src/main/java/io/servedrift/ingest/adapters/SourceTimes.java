package io.servedrift.ingest.adapters;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Times as runtimes write them. Remembers whether local times without a zone were met that nobody
 * gave a zone for. Of a local time that summer time repeats the first is taken, one that it skips
 * moves forward by the gap.
 */
final class SourceTimes {
  /** 2000-01-01: a smaller number is no wall clock, but one that starts with the machine. */
  private static final double FIRST_SECOND = 946_684_800;

  private static final double LAST_SECOND = 4_102_444_800.0;

  private final Optional<ZoneId> zone;
  private long local;
  private long absolute;

  SourceTimes(Optional<ZoneId> zone) {
    this.zone = zone;
  }

  /** Seconds since 1970, to the microsecond; null when they are no time of a wall clock. */
  static @Nullable Instant epochSeconds(@Nullable Double seconds) {
    if (seconds == null || !(seconds >= FIRST_SECOND && seconds < LAST_SECOND)) {
      return null;
    }
    long micros = BigDecimal.valueOf(seconds).movePointRight(6).longValue();
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /**
   * ISO-8601, also with a blank between date and time or a comma before the fraction.
   *
   * @return null when it is none, or is local and there is no zone for it
   */
  @Nullable Instant text(@Nullable String text) {
    if (text == null || text.length() < 16 || text.length() > 40) {
      return null;
    }
    String iso = text.strip().replace(' ', 'T').replace(',', '.');
    try {
      Instant at = OffsetDateTime.parse(iso).toInstant();
      absolute++;
      return likely(at);
    } catch (DateTimeException e) {
      return localTime(iso);
    }
  }

  private static @Nullable Instant likely(Instant at) {
    return at.getEpochSecond() >= FIRST_SECOND && at.getEpochSecond() < LAST_SECOND ? at : null;
  }

  private @Nullable Instant localTime(String iso) {
    try {
      LocalDateTime time = LocalDateTime.parse(iso);
      local++;
      return zone.isEmpty() ? null : likely(time.atZone(zone.get()).toInstant());
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** What a time must be, for the message of a rejection. */
  String allowed() {
    return zone.isEmpty()
        ? "a time with zone; --time-zone says of which zone local times are"
        : "a time in ISO-8601";
  }

  /**
   * Refuses a source of local times for which there is no zone: any zone would be a guess.
   *
   * @throws UnfitSourceException when it is one
   */
  void requireZone() throws UnfitSourceException {
    requireZone(1);
  }

  /**
   * The same once so many local times came: of a live source one odd record must not end it.
   *
   * @throws UnfitSourceException when it is one
   */
  void requireZone(int times) throws UnfitSourceException {
    if (zone.isEmpty() && local >= times && absolute == 0) {
      throw new UnfitSourceException(
          local
              + " times without a zone, for example 2026-09-20T10:11:12: they are local times of"
              + " the machine that wrote them; say of which zone with --time-zone, such as"
              + " --time-zone Europe/Berlin or --time-zone UTC");
    }
  }
}
