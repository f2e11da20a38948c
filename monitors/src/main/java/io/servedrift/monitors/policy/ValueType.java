package io.servedrift.monitors.policy;

import io.servedrift.monitors.text.Quantities;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * How the text of a field becomes a value, and the one text that stands for a value. Immutable.
 *
 * @param allowed the range or form, completing the sentence "must be ..."
 * @param reader text to value; throws {@link IllegalArgumentException} for anything not allowed
 * @param writer value to text; the reader reads it back to an equal value
 */
public record ValueType<T>(String allowed, Function<String, T> reader, Function<T, String> writer) {

  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(\\d{1,12}(\\.\\d{0,12})?|\\.\\d{1,12})([eE][+-]?\\d{1,2})?");
  private static final Pattern EPOCH_MILLIS = Pattern.compile("\\d{12,13}");
  private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("2100-01-01T00:00:00Z");
  private static final int LONGEST_TEXT = 256;
  private static final int LONGEST_EVALUATION = 193;
  private static final BigDecimal LARGEST_PERCENTAGE = BigDecimal.valueOf(1000);
  private static final BigDecimal LARGEST_EFFECT = BigDecimal.valueOf(1_000_000_000);

  /**
   * The value of a text.
   *
   * @throws IllegalArgumentException for anything not allowed
   */
  public T read(String text) {
    return reader.apply(text.strip());
  }

  /** The one text that stands for a value. */
  public String write(T value) {
    return writer.apply(value);
  }

  /** The one text that stands for what {@code text} says. */
  String canonical(String text) {
    return write(read(text));
  }

  /** A duration in a range, as people write it. */
  public static ValueType<Duration> duration(String least, String most) {
    Duration low = Quantities.duration(least);
    Duration high = Quantities.duration(most);
    return new ValueType<>(
        "a duration (30s, 5m, 7d) from " + least + " to " + most,
        text -> {
          Duration value = Quantities.duration(text);
          require(value.compareTo(low) >= 0 && value.compareTo(high) <= 0);
          return value;
        },
        Quantities::text);
  }

  /** A duration that fits a whole number of times into another one, and is at least a second. */
  static ValueType<Duration> part(Duration whole) {
    return new ValueType<>(
        "a duration from 1s that divides " + Quantities.text(whole),
        text -> {
          Duration value = Quantities.duration(text);
          require(value.compareTo(Duration.ofSeconds(1)) >= 0);
          require(whole.toNanos() % value.toNanos() == 0);
          return value;
        },
        Quantities::text);
  }

  /** A whole number in a range. */
  public static ValueType<Long> whole(long least, long most) {
    return new ValueType<>(
        "a whole number from " + least + " to " + most,
        text -> {
          long value = Long.parseLong(text.replace("_", ""));
          require(value >= least && value <= most);
          return value;
        },
        String::valueOf);
  }

  /** A number above 0, at most {@code most}. */
  public static ValueType<Double> positive(int most) {
    return new ValueType<>(
        "a number above 0 and at most " + most,
        text -> {
          double value = decimal(text).doubleValue();
          require(value > 0 && value <= most);
          return value;
        },
        value -> plain(BigDecimal.valueOf(value)));
  }

  /** A number between two others, both included. */
  public static ValueType<Double> number(double least, double most) {
    return new ValueType<>(
        "a number from "
            + plain(BigDecimal.valueOf(least))
            + " to "
            + plain(BigDecimal.valueOf(most)),
        text -> {
          double value = decimal(text).doubleValue();
          require(value >= least && value <= most);
          return value;
        },
        value -> plain(BigDecimal.valueOf(value)));
  }

  /** A percentage or a number; which of the two a metric takes is asked elsewhere. */
  static ValueType<String> effect() {
    return new ValueType<>(
        "a percentage (5%) for durations, a number in the unit of the metric (0.002) for others,"
            + " at least 0",
        text -> {
          boolean percentage = text.endsWith("%");
          BigDecimal value =
              decimal(percentage ? text.substring(0, text.length() - 1).strip() : text);
          BigDecimal most = percentage ? LARGEST_PERCENTAGE : LARGEST_EFFECT;
          require(value.signum() >= 0 && value.compareTo(most) <= 0);
          return plain(value) + (percentage ? "%" : "");
        },
        Function.identity());
  }

  /** What {@link #effect} says as a number: 0.05 for {@code 5%}. */
  static double effectValue(String text) {
    return text.endsWith("%")
        ? decimal(text.substring(0, text.length() - 1)).movePointLeft(2).doubleValue()
        : decimal(text).doubleValue();
  }

  /** The constants of an enum in lower case. */
  public static <E extends Enum<E>> ValueType<E> word(Class<E> type) {
    E[] constants = type.getEnumConstants();
    return new ValueType<>(
        "one of " + String.join(", ", Arrays.stream(constants).map(ValueType::lower).toList()),
        text ->
            Arrays.stream(constants)
                .filter(constant -> lower(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown word")),
        ValueType::lower);
  }

  static ValueType<Boolean> flag() {
    return new ValueType<>(
        "true or false",
        text -> {
          require(text.equals("true") || text.equals("false"));
          return text.equals("true");
        },
        String::valueOf);
  }

  static ValueType<Integer> bit() {
    return new ValueType<>(
        "0 or 1",
        text -> {
          require(text.equals("0") || text.equals("1"));
          return text.equals("1") ? 1 : 0;
        },
        String::valueOf);
  }

  static ValueType<Instant> time() {
    return new ValueType<>(
        "a time from 2000 to 2099: ISO-8601 with zone (2026-11-30T10:00:00Z) or epoch milliseconds",
        text -> {
          Instant time = instant(text).truncatedTo(ChronoUnit.MICROS);
          require(!time.isBefore(FIRST) && time.isBefore(END));
          return time;
        },
        Instant::toString);
  }

  static ValueType<ZoneId> zone() {
    return new ValueType<>(
        "UTC, an offset (+02:00) or a region (Europe/Berlin)",
        text -> {
          try {
            return ZoneId.of(text).normalized();
          } catch (DateTimeException e) {
            throw new IllegalArgumentException("no zone", e);
          }
        },
        zone -> zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId());
  }

  /** Text of one line. */
  static ValueType<String> text(String allowed) {
    return new ValueType<>(
        allowed,
        text -> {
          require(!text.isEmpty() && text.length() <= LONGEST_TEXT);
          require(text.chars().noneMatch(Character::isISOControl));
          return text;
        },
        Function.identity());
  }

  /** An evaluation and its metric. */
  static ValueType<String> evaluation() {
    ValueType<String> line = text("");
    return new ValueType<>(
        "an evaluation and its metric as name/metric (geneval/overall), at most 193 characters",
        text -> {
          int slash = text.lastIndexOf('/');
          require(slash > 0 && slash < text.length() - 1 && text.length() <= LONGEST_EVALUATION);
          return line.read(text);
        },
        Function.identity());
  }

  private static Instant instant(String text) {
    if (EPOCH_MILLIS.matcher(text).matches()) {
      return Instant.ofEpochMilli(Long.parseLong(text));
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("no time", e);
    }
  }

  private static BigDecimal decimal(String text) {
    require(DECIMAL.matcher(text).matches());
    return new BigDecimal(text);
  }

  static String plain(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static void require(boolean allowed) {
    if (!allowed) {
      throw new IllegalArgumentException("not allowed");
    }
  }
}
