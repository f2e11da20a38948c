package io.servedrift.monitors.policy;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A time in which findings are expected and nobody wants to be told. Immutable. */
public sealed interface Maintenance {

  /** The deployment, {@code *} for all. */
  String deployment();

  /** The reason, as people wrote it. */
  String why();

  /** Whether it covers an instant; the end is not included. */
  boolean covers(Instant instant);

  /** Once. */
  record Once(String deployment, Instant from, Instant to, String why) implements Maintenance {
    @Override
    public boolean covers(Instant instant) {
      return !instant.isBefore(from) && instant.isBefore(to);
    }
  }

  /**
   * Every week, by the clock of a zone: an hour that a change of the clock skips is missing, one
   * that it repeats counts twice.
   *
   * @param times day and time, at most 24 hours
   * @param zone whose clock counts; a fixed offset depends on no table of time zones
   */
  record Weekly(String deployment, WeekTimes times, ZoneId zone, String why)
      implements Maintenance {
    @Override
    public boolean covers(Instant instant) {
      return times.cover(instant.atZone(zone));
    }
  }

  /**
   * A range of time on one day of the week; one that ends before it starts ends on the next day.
   *
   * @param day on which it starts
   * @param start first minute
   * @param end not included; midnight is the end of the day
   */
  record WeekTimes(DayOfWeek day, LocalTime start, LocalTime end) {
    static final String ALLOWED =
        "a day and its hours (Sun 02:00-04:00; Sat 23:00-01:00 ends on Sunday)";

    private static final List<String> DAYS =
        List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
    private static final Pattern TEXT =
        Pattern.compile(
            "([A-Z][a-z]{2}) ([01]\\d|2[0-3]):([0-5]\\d)-(?:([01]\\d|2[0-3]):([0-5]\\d)|24:00)");

    /** Reads {@link #ALLOWED}; empty when it is something else or holds no time. */
    static Optional<WeekTimes> parse(String text) {
      Matcher match = TEXT.matcher(text);
      if (!match.matches()) {
        return Optional.empty();
      }
      LocalTime start = time(match.group(2), match.group(3));
      LocalTime end =
          match.group(4) == null ? LocalTime.MIDNIGHT : time(match.group(4), match.group(5));
      int day = DAYS.indexOf(match.group(1));
      boolean empty = start.equals(end) && !end.equals(LocalTime.MIDNIGHT);
      return day < 0 || empty
          ? Optional.empty()
          : Optional.of(new WeekTimes(DayOfWeek.of(day + 1), start, end));
    }

    boolean cover(ZonedDateTime local) {
      LocalTime time = local.toLocalTime();
      boolean untilMidnight = end.equals(LocalTime.MIDNIGHT);
      if (untilMidnight || start.isBefore(end)) {
        return local.getDayOfWeek() == day
            && !time.isBefore(start)
            && (untilMidnight || time.isBefore(end));
      }
      return (local.getDayOfWeek() == day && !time.isBefore(start))
          || (local.getDayOfWeek() == day.plus(1) && time.isBefore(end));
    }

    private static LocalTime time(String hour, String minute) {
      return LocalTime.of(Integer.parseInt(hour), Integer.parseInt(minute));
    }

    private static String name(DayOfWeek day) {
      return DAYS.get(day.getValue() - 1);
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
      return name(day) + " " + start + "-" + (end.equals(LocalTime.MIDNIGHT) ? "24:00" : end);
    }
  }
}
