package io.servedrift.monitors.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes in the forms people write them. */
public final class Quantities {

  private static final Pattern AMOUNT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-z]+)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final Map<String, Long> BYTES =
      Map.of(
          "b", 1L,
          "kib", 1L << 10,
          "mib", 1L << 20,
          "gib", 1L << 30,
          "kb", 1_000L,
          "mb", 1_000_000L,
          "gb", 1_000_000_000L);

  private Quantities() {}

  /**
   * Reads {@code 250ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 2d} or ISO-8601 ({@code
   * PT30S}); a number without a unit is refused because its unit would be a guess.
   *
   * @throws IllegalArgumentException for anything else, and for a fraction of a millisecond
   */
  public static Duration duration(String text) {
    String trimmed = text.strip();
    if (trimmed.toUpperCase(Locale.ROOT).startsWith("P")) {
      try {
        return Duration.parse(trimmed);
      } catch (DateTimeParseException e) {
        throw new IllegalArgumentException("not an ISO-8601 duration", e);
      }
    }
    return Duration.ofMillis(amount(trimmed, MILLIS));
  }

  /**
   * Reads {@code 512KiB}, {@code 64MiB}, {@code 2GB} or {@code 100B} as bytes.
   *
   * @throws IllegalArgumentException for anything else, and for a fraction of a byte
   */
  public static long bytes(String text) {
    return amount(text.strip(), BYTES);
  }

  /** The shortest form that {@link #duration} reads back to the same value. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    for (String unit : new String[] {"h", "m", "s"}) {
      long size = MILLIS.getOrDefault(unit, 1L);
      if (millis % size == 0) {
        return millis / size + unit;
      }
    }
    return millis + "ms";
  }

  private static long amount(String text, Map<String, Long> units) {
    Matcher match = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
    if (!match.matches()) {
      throw new IllegalArgumentException("not a number with a unit");
    }
    Long unit = units.get(match.group(2));
    if (unit == null) {
      throw new IllegalArgumentException("unknown unit " + match.group(2));
    }
    try {
      return new BigDecimal(match.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("too fine or too large", e);
    }
  }
}
