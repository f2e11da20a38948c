package io.servedrift.schemas;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/**
 * Times as the contract allows them: ISO-8601 with zone, or epoch milliseconds. Microseconds
 * inside.
 */
final class TimeText {
  /** A well-formed time that lacks its zone. */
  static final long NO_ZONE = Long.MIN_VALUE;

  /** Not a time. */
  static final long NOT_A_TIME = Long.MIN_VALUE + 1;

  private static final long FIRST_SECOND = Instant.parse("2000-01-01T00:00:00Z").getEpochSecond();
  private static final long LAST_SECOND = Instant.parse("2100-01-01T00:00:00Z").getEpochSecond();

  private TimeText() {}

  /**
   * Whether the time is one that an event may carry; outside lie unset clocks and mistaken units.
   */
  static boolean isPlausible(Instant t) {
    return t.getEpochSecond() >= FIRST_SECOND && t.getEpochSecond() < LAST_SECOND;
  }

  static Instant ofMicros(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Names the unit in which the number would be a plausible time. */
  static String unitOf(double number) {
    if (within(number, 1)) {
      return "seconds";
    }
    if (within(number, 1e3)) {
      return "milliseconds";
    }
    if (within(number, 1e6)) {
      return "microseconds";
    }
    return within(number, 1e9) ? "nanoseconds" : "no unit that gives a time between 2000 and 2100";
  }

  private static boolean within(double number, double perSecond) {
    return number >= FIRST_SECOND * perSecond && number < LAST_SECOND * perSecond;
  }

  /**
   * Parses {@code 2026-11-30T10:00:00[.fraction](Z|+01:00|+0100|+01)}; a blank instead of T is
   * accepted (RFC 3339), fraction digits beyond the sixth are cut.
   *
   * @return microseconds since the epoch, {@link #NO_ZONE} or {@link #NOT_A_TIME}
   */
  static long parse(String s) {
    int n = s.length();
    if (n < 16 || n > 128 || s.charAt(4) != '-' || s.charAt(7) != '-' || s.charAt(13) != ':') {
      return NOT_A_TIME;
    }
    char t = s.charAt(10);
    int year = digits(s, 0, 4);
    int month = digits(s, 5, 2);
    int day = digits(s, 8, 2);
    int hour = digits(s, 11, 2);
    int minute = digits(s, 14, 2);
    if ((t != 'T' && t != 't' && t != ' ')
        || year < 0
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59) {
      return NOT_A_TIME;
    }
    int i = 16;
    int second = 0;
    long micros = 0;
    if (i < n && s.charAt(i) == ':') {
      second = digits(s, i + 1, 2);
      if (second < 0 || second > 59) {
        return NOT_A_TIME;
      }
      i += 3;
      if (i < n && (s.charAt(i) == '.' || s.charAt(i) == ',')) {
        int start = ++i;
        while (i < n && isDigit(s.charAt(i))) {
          if (i - start < 6) {
            micros = micros * 10 + (s.charAt(i) - '0');
          }
          i++;
        }
        if (i == start) {
          return NOT_A_TIME;
        }
        for (int k = i - start; k < 6; k++) {
          micros *= 10;
        }
      }
    }
    long epochDay;
    try {
      epochDay = LocalDate.of(year, month, day).toEpochDay();
    } catch (DateTimeException e) {
      return NOT_A_TIME;
    }
    if (i == n) {
      return NO_ZONE;
    }
    int offset = offsetSeconds(s, i);
    if (offset == Integer.MIN_VALUE) {
      return NOT_A_TIME;
    }
    long seconds = ((epochDay * 24 + hour) * 60 + minute) * 60 + second - offset;
    return seconds * 1_000_000 + micros;
  }

  private static int offsetSeconds(String s, int i) {
    int n = s.length();
    char c = s.charAt(i);
    if (c == 'Z' || c == 'z') {
      return i + 1 == n ? 0 : Integer.MIN_VALUE;
    }
    if (c != '+' && c != '-') {
      return Integer.MIN_VALUE;
    }
    int rest = n - i - 1;
    int hours = digits(s, i + 1, 2);
    int minutes =
        switch (rest) {
          case 2 -> 0;
          case 4 -> digits(s, i + 3, 2);
          case 5 -> s.charAt(i + 3) == ':' ? digits(s, i + 4, 2) : -1;
          default -> -1;
        };
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) {
      return Integer.MIN_VALUE;
    }
    int seconds = (hours * 60 + minutes) * 60;
    return c == '-' ? -seconds : seconds;
  }

  private static int digits(String s, int from, int count) {
    if (from + count > s.length()) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < from + count; i++) {
      char c = s.charAt(i);
      if (!isDigit(c)) {
        return -1;
      }
      value = value * 10 + (c - '0');
    }
    return value;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
