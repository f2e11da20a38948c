package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How times are written in a file. A local time that a change of summer time skips is moved forward
 * by the gap; of one that occurs twice, the first is taken.
 */
sealed interface TimeFormat {
  String BAD_TIME = "bad_time";

  Conversion.Outcome convert(String cell);

  /** ISO-8601; without a zone in the mapping the cell must carry one, which the reader checks. */
  record Iso(@Nullable ZoneId zone) implements TimeFormat {
    @Override
    public Conversion.Outcome convert(String cell) {
      String text = cell.strip().replace(' ', 'T');
      LocalDateTime local = zone == null ? null : parseLocal(text);
      return local == null || zone == null
          ? new Conversion.Outcome.Value(TextNode.valueOf(text))
          : instant(local.atZone(zone).toInstant());
    }

    private static @Nullable LocalDateTime parseLocal(String text) {
      try {
        return LocalDateTime.parse(text);
      } catch (DateTimeException e) {
        return null;
      }
    }
  }

  /** Seconds or milliseconds since 1970, fractions allowed. */
  record Epoch(boolean milliseconds) implements TimeFormat {
    private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(253_402_300_799L);

    @Override
    public Conversion.Outcome convert(String cell) {
      BigDecimal number = Numbers.parse(cell);
      String unit = milliseconds ? "milliseconds" : "seconds";
      if (number == null) {
        return new Conversion.Outcome.Bad(BAD_TIME, unit + " since 1970");
      }
      BigDecimal seconds = milliseconds ? number.movePointLeft(3) : number;
      if (seconds.signum() < 0 || seconds.compareTo(MAX_SECONDS) > 0) {
        return new Conversion.Outcome.Bad(BAD_TIME, unit + " since 1970 and before the year 10000");
      }
      long micros = seconds.movePointRight(6).setScale(0, RoundingMode.DOWN).longValueExact();
      return instant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }
  }

  /** A pattern of {@link DateTimeFormatter}, resolved strictly. */
  record Patterned(String pattern, DateTimeFormatter formatter, @Nullable ZoneId zone)
      implements TimeFormat {
    /**
     * @throws IllegalArgumentException when the pattern is none
     */
    static Patterned of(String pattern, @Nullable ZoneId zone) {
      DateTimeFormatter formatter =
          new DateTimeFormatterBuilder()
              .appendPattern(pattern)
              // strict resolving needs the era beside yyyy
              .parseDefaulting(ChronoField.ERA, 1)
              .toFormatter(Locale.ROOT)
              .withResolverStyle(ResolverStyle.STRICT);
      return new Patterned(pattern, formatter, zone);
    }

    /** True when each cell says its own zone. */
    boolean carriesZone() {
      String unquoted = pattern.replaceAll("'[^']*'", "");
      return unquoted.chars().anyMatch(c -> "VzOXxv".indexOf(c) >= 0);
    }

    @Override
    public Conversion.Outcome convert(String cell) {
      try {
        TemporalAccessor parsed = formatter.parse(cell.strip());
        ZoneId own = parsed.query(TemporalQueries.zone());
        ZoneId effective = own != null ? own : zone;
        if (effective == null) {
          return new Conversion.Outcome.Bad(BAD_TIME, "a time with zone");
        }
        return instant(LocalDateTime.from(parsed).atZone(effective).toInstant());
      } catch (DateTimeException e) {
        return new Conversion.Outcome.Bad(BAD_TIME, "a time like " + pattern);
      }
    }
  }

  private static Conversion.Outcome instant(Instant instant) {
    return new Conversion.Outcome.Value(TextNode.valueOf(instant.toString()));
  }
}
