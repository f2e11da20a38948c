package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of OTLP in its JSON form (OpenTelemetry protocol 1.x): attributes as a plain object,
 * 64-bit numbers that stand as text, times in nanoseconds. Pure.
 */
final class OtlpJson {
  private static final BigInteger LATEST = BigInteger.valueOf(Long.MAX_VALUE);

  private OtlpJson() {}

  /** Attributes by key; of values that are maps nothing is taken. */
  static ObjectNode attributes(@Nullable JsonNode list) {
    ObjectNode plain = JsonNodeFactory.instance.objectNode();
    if (list == null || !list.isArray()) {
      return plain;
    }
    for (JsonNode entry : list) {
      JsonNode value = value(entry.get("value"));
      if (value != null && entry.path("key").isTextual()) {
        plain.set(entry.get("key").textValue(), value);
      }
    }
    return plain;
  }

  private static @Nullable JsonNode value(@Nullable JsonNode any) {
    if (any == null) {
      return null;
    }
    for (String kind : new String[] {"stringValue", "doubleValue", "boolValue"}) {
      if (any.has(kind)) {
        return any.get(kind);
      }
    }
    if (any.has("intValue")) {
      return whole(any.get("intValue"));
    }
    if (any.path("arrayValue").get("values") instanceof ArrayNode values) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      for (JsonNode entry : values) {
        JsonNode value = value(entry);
        if (value != null) {
          list.add(value);
        }
      }
      return list;
    }
    return null;
  }

  private static JsonNode whole(JsonNode number) {
    if (!number.isTextual()) {
      return number;
    }
    try {
      return LongNode.valueOf(Long.parseLong(number.textValue()));
    } catch (NumberFormatException e) {
      return number;
    }
  }

  /** A time in nanoseconds since 1970, a number or its text; null when it is none, or 0. */
  static @Nullable Instant time(@Nullable JsonNode nanos) {
    if (nanos == null || !(nanos.isTextual() || nanos.isIntegralNumber())) {
      return null;
    }
    String digits = nanos.asText();
    if (digits.isEmpty() || digits.length() > 19 || !digits.chars().allMatch(Character::isDigit)) {
      return null;
    }
    BigInteger value = new BigInteger(digits);
    if (value.signum() <= 0 || value.compareTo(LATEST) > 0) {
      return null;
    }
    return Instant.ofEpochSecond(0, value.longValue());
  }
}
