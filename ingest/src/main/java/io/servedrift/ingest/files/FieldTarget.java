package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What kind of value a field of an event takes.
 *
 * @param allowed the words of a {@link Kind#WORD}, else empty
 */
record FieldTarget(Kind kind, List<String> allowed) {
  enum Kind {
    TEXT,
    WHOLE,
    DECIMAL,
    BOOLEAN,
    TIME,
    WORD,
    LIST,
    /** Below config and model: text unless the mapping says otherwise. */
    FREE
  }

  static FieldTarget of(Kind kind) {
    return new FieldTarget(kind, List.of());
  }

  static FieldTarget oneOf(List<String> words) {
    return new FieldTarget(Kind.WORD, words);
  }

  boolean isNumber() {
    return kind == Kind.WHOLE || kind == Kind.DECIMAL;
  }

  /** Whether a value written in the mapping itself can stand in the field. */
  boolean takes(JsonNode value) {
    return switch (kind) {
      case TEXT -> value.isTextual();
      case TIME -> value.isTextual() || value.isIntegralNumber();
      case WORD -> allowed.contains(value.asText());
      case WHOLE -> value.isIntegralNumber();
      case DECIMAL -> value.isNumber();
      case BOOLEAN -> value.isBoolean();
      case LIST -> value.isArray();
      case FREE -> !value.isNull();
    };
  }

  String describe() {
    return switch (kind) {
      case TEXT -> "text";
      case WHOLE -> "a whole number";
      case DECIMAL -> "a number";
      case BOOLEAN -> "true or false";
      case TIME -> "a time";
      case WORD -> "one of " + String.join(", ", allowed);
      case LIST -> "a list of text";
      case FREE -> "any value";
    };
  }
}
