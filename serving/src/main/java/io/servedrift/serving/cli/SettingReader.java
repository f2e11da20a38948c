package io.servedrift.serving.cli;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns texts of settings into values. What cannot be read is collected, so that all problems are
 * told at once by {@link #requireNoProblems}; until then such a value is its stand-in. Not
 * thread-safe.
 */
final class SettingReader {

  private static final Pattern AMOUNT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]+)");
  private static final Pattern HOST_PORT =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):\\d{1,5}");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L);
  private static final Map<String, Long> BYTES =
      Map.of("b", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30);

  private final Map<String, Found> found;
  private final Map<String, String> kafka;
  private final List<String> problems;

  SettingReader(Map<String, Found> found, Map<String, String> kafka, List<String> problems) {
    this.found = Map.copyOf(found);
    this.kafka = Map.copyOf(kafka);
    this.problems = new ArrayList<>(problems);
  }

  /**
   * A text and its place.
   *
   * @param where the place as a user knows it, for messages
   */
  record Found(String text, String where) {}

  /** Properties for the Kafka client; may hold secrets. */
  Map<String, String> kafka() {
    return kafka;
  }

  /** Adds a problem of settings that do not fit together. */
  void problem(String sentence) {
    problems.add(sentence);
  }

  /** Throws when anything was wrong. */
  void requireNoProblems() {
    if (!problems.isEmpty()) {
      throw new SettingsException(problems);
    }
  }

  /** A value that must be given; the stand-in holds until the problem is told. */
  <T> T needed(Setting setting, Optional<T> value, T standIn) {
    if (value.isEmpty() && !found.containsKey(setting.key())) {
      problems.add(
          setting.key() + ": must be given, as " + setting.option() + " " + setting.value());
    }
    return value.orElse(standIn);
  }

  /** What comes of a setting's value; a refusal is a problem of that setting. */
  <T> Optional<T> attempt(Setting setting, Supplier<T> value) {
    try {
      return Optional.of(value.get());
    } catch (IllegalArgumentException e) {
      problems.add(setting.key() + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  Optional<String> text(Setting setting) {
    return optional(setting, "text that is not empty", SettingReader::notBlank);
  }

  String matching(Setting setting, Pattern pattern, String allowed) {
    return required(
        setting,
        allowed,
        text -> {
          if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException("does not match");
          }
          return text;
        },
        "x");
  }

  Optional<Path> path(Setting setting) {
    return optional(setting, "a path", text -> Path.of(notBlank(text)));
  }

  List<String> list(Setting setting) {
    return optional(
            setting,
            "a list separated by commas",
            text -> List.of(text.split(",", -1)).stream().map(SettingReader::notBlank).toList())
        .orElse(List.of());
  }

  String word(Setting setting, String... words) {
    List<String> allowed = List.of(words);
    return required(
        setting,
        "one of " + String.join(", ", allowed),
        text -> {
          if (!allowed.contains(text)) {
            throw new IllegalArgumentException("unknown word");
          }
          return text;
        },
        words[0]);
  }

  int integer(Setting setting, int least, int most) {
    return required(
        setting,
        "a whole number from " + least + " to " + most,
        text -> Math.toIntExact(inRange(Long.parseLong(text), least, most)),
        least);
  }

  double number(Setting setting, double least, double most) {
    return required(
        setting,
        "a number from " + least + " to " + most,
        text -> {
          double value = Double.parseDouble(text);
          if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException("out of range");
          }
          return value;
        },
        least);
  }

  Duration duration(Setting setting, String least, String most) {
    return required(
        setting,
        "a duration (500ms, 30s, 5m, PT1H) from " + least + " to " + most,
        text ->
            Duration.ofMillis(
                inRange(
                    duration(text).toMillis(),
                    duration(least).toMillis(),
                    duration(most).toMillis())),
        duration(least));
  }

  long size(Setting setting, String least, String most) {
    return required(
        setting,
        "a size (64KiB, 32MiB) from " + least + " to " + most,
        text -> inRange(amount(text, BYTES), amount(least, BYTES), amount(most, BYTES)),
        amount(least, BYTES));
  }

  Optional<String> hostPorts(Setting setting) {
    return optional(
        setting,
        "host:port pairs separated by commas",
        text -> {
          for (String item : text.split(",", -1)) {
            if (!HOST_PORT.matcher(item.strip()).matches()) {
              throw new IllegalArgumentException("not host:port");
            }
          }
          return text.replace(" ", "");
        });
  }

  private <T> T required(Setting setting, String allowed, Function<String, T> reader, T standIn) {
    return optional(setting, allowed, reader).orElse(standIn);
  }

  private <T> Optional<T> optional(Setting setting, String allowed, Function<String, T> reader) {
    Found text = found.get(setting.key());
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(reader.apply(text.text));
    } catch (IllegalArgumentException | ArithmeticException | DateTimeParseException e) {
      problems.add(text.where + "=" + text.text + ": must be " + allowed);
      return Optional.empty();
    }
  }

  private static String notBlank(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("empty");
    }
    return text.strip();
  }

  private static Duration duration(String text) {
    return text.toUpperCase(Locale.ROOT).startsWith("P")
        ? Duration.parse(text)
        : Duration.ofMillis(amount(text, MILLIS));
  }

  private static long amount(String text, Map<String, Long> units) {
    Matcher match = AMOUNT.matcher(text);
    Long unit = match.matches() ? units.get(match.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw new IllegalArgumentException("not a number with a unit");
    }
    return new BigDecimal(match.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
  }

  private static long inRange(long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }
}
