package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Typed members of a JSON object; {@code null} counts as absent. What is wrong is an {@link
 * ApiException} that names the member and what is allowed.
 */
final class Members {

  /** Longest piece of a value that an error quotes. */
  private static final int QUOTED = 40;

  private final ObjectNode object;

  Members(ObjectNode object) {
    this.object = object;
  }

  /** Whether the member is there. */
  boolean has(String name) {
    return object.hasNonNull(name);
  }

  @Nullable String text(String name, int maxChars) {
    if (!has(name)) {
      return null;
    }
    JsonNode value = object.get(name);
    if (!value.isTextual()) {
      throw wrongType(name, value, "a string");
    }
    String text = value.textValue();
    if (text.length() > maxChars) {
      throw ApiException.invalid(
          name,
          "string_above_max_length",
          name + " of " + text.length() + " characters: must be at most " + maxChars);
    }
    return text;
  }

  long integer(String name, long least, long most, long absent) {
    if (!has(name)) {
      return absent;
    }
    JsonNode value = object.get(name);
    if (!value.isIntegralNumber()) {
      throw wrongType(name, value, "a whole number");
    }
    if (!value.canConvertToLong() || value.longValue() < least || value.longValue() > most) {
      throw outOfRange(name, value, least + " to " + most);
    }
    return value.longValue();
  }

  double number(String name, double least, double most, double absent) {
    if (!has(name)) {
      return absent;
    }
    JsonNode value = object.get(name);
    if (!value.isNumber()) {
      throw wrongType(name, value, "a number");
    }
    double number = value.doubleValue();
    if (!(number >= least && number <= most)) {
      throw outOfRange(name, value, least + " to " + most);
    }
    return number;
  }

  boolean flag(String name, boolean absent) {
    if (!has(name)) {
      return absent;
    }
    JsonNode value = object.get(name);
    if (!value.isBoolean()) {
      throw wrongType(name, value, "true or false");
    }
    return value.booleanValue();
  }

  private static ApiException wrongType(String name, JsonNode value, String expected) {
    return ApiException.invalid(
        name,
        "invalid_type",
        name
            + ": must be "
            + expected
            + ", got "
            + value.getNodeType().name().toLowerCase(java.util.Locale.ROOT));
  }

  private static ApiException outOfRange(String name, JsonNode value, String range) {
    return ApiException.invalid(
        name, "value_out_of_range", name + "=" + quoted(value.asText()) + ": must be " + range);
  }

  /** A value as an error may show it; never used for prompts. */
  static String quoted(String value) {
    StringBuilder shown = new StringBuilder();
    value
        .codePoints()
        .limit(QUOTED)
        .forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return shown + (value.codePointCount(0, value.length()) > QUOTED ? "..." : "");
  }
}
