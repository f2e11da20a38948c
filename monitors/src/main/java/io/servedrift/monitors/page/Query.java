package io.servedrift.monitors.page;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The query parameters of one request, checked. An empty value counts as not given. */
final class Query {
  private static final Pattern EPOCH_MILLIS = Pattern.compile("-?[0-9]{1,15}");

  private final Map<String, List<String>> parameters;

  /**
   * Takes the parameters of a request.
   *
   * @throws BadParameter when one is not in {@code known} or is given twice
   */
  Query(Map<String, List<String>> parameters, Set<String> known) {
    this.parameters = parameters;
    parameters.forEach(
        (name, values) -> {
          if (!known.contains(name)) {
            throw new BadParameter(
                name,
                values.get(0),
                "left out; known parameters are " + (known.isEmpty() ? "none" : sorted(known)));
          }
          if (values.size() > 1) {
            throw new BadParameter(name, String.join(",", values), "given once");
          }
        });
  }

  private static String sorted(Set<String> words) {
    return String.join(", ", words.stream().sorted().toList());
  }

  @Nullable String text(String name) {
    List<String> values = parameters.get(name);
    return values == null || values.get(0).isEmpty() ? null : values.get(0);
  }

  /** A test for this parameter's value: passes everything when it is not given. */
  Predicate<String> equal(String name) {
    String wanted = text(name);
    return wanted == null ? value -> true : wanted::equals;
  }

  /** ISO-8601 with zone, or epoch milliseconds. */
  @Nullable Instant time(String name) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    if (EPOCH_MILLIS.matcher(text).matches()) {
      return Instant.ofEpochMilli(Long.parseLong(text));
    }
    try {
      return OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
    } catch (DateTimeException e) {
      throw new BadParameter(name, text, "a time in ISO-8601 with zone, or epoch milliseconds");
    }
  }

  int number(String name, int ifAbsent, int min, int max) {
    String text = text(name);
    if (text == null) {
      return ifAbsent;
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Same answer as for a number out of range.
    }
    throw new BadParameter(name, text, "a whole number between " + min + " and " + max);
  }

  /** One of the allowed words; the first when not given. */
  String word(String name, List<String> allowed) {
    String text = text(name);
    if (text == null) {
      return allowed.get(0);
    }
    if (!allowed.contains(text)) {
      throw new BadParameter(name, text, "one of " + String.join(", ", allowed));
    }
    return text;
  }
}
