package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Members of a foreign JSON object, by kind. A member that is absent, null or of another kind is
 * null here; of another kind is noted by its name, so that a change of the format shows.
 */
final class SourceObject {
  private static final String UNEXPECTED = "unexpected kind of value, left out: ";

  private final @Nullable JsonNode node;
  private final String path;
  private final Consumer<String> notes;

  private SourceObject(@Nullable JsonNode node, String path, Consumer<String> notes) {
    this.node = node;
    this.path = path;
    this.notes = notes;
  }

  static SourceObject of(@Nullable JsonNode node, Consumer<String> notes) {
    return new SourceObject(node instanceof ObjectNode ? node : null, "", notes);
  }

  /** Whether there is no object here. */
  boolean isAbsent() {
    return node == null;
  }

  /** Whether the object has the member, whatever its value. */
  boolean has(String name) {
    return node != null && node.has(name);
  }

  /** The member as it is; null when absent or null. */
  @Nullable JsonNode any(String name) {
    JsonNode value = node == null ? null : node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  /** A finite number. */
  @Nullable Double number(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (value.isNumber() && Double.isFinite(value.doubleValue())) {
      return value.doubleValue();
    }
    return unexpected(name);
  }

  /** A whole number, also one written {@code 30.0}. */
  @Nullable Long whole(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      return value.longValue();
    }
    double number = value.isNumber() ? value.doubleValue() : Double.NaN;
    if (number == Math.rint(number) && Math.abs(number) < 1L << 53) {
      return (long) number;
    }
    return unexpected(name);
  }

  /** Text that is not empty. */
  @Nullable String text(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    if (value.isTextual()) {
      return value.textValue().isEmpty() ? null : value.textValue();
    }
    return unexpected(name);
  }

  /** True or false. */
  @Nullable Boolean flag(String name) {
    JsonNode value = any(name);
    if (value == null) {
      return null;
    }
    return value.isBoolean() ? (Boolean) value.booleanValue() : this.<Boolean>unexpected(name);
  }

  /** An object; one without members when there is none. */
  SourceObject object(String name) {
    JsonNode value = any(name);
    if (value != null && !value.isObject()) {
      unexpected(name);
    }
    return new SourceObject(value instanceof ObjectNode ? value : null, path + name + ".", notes);
  }

  /** The objects of a list; what else is in it is noted. */
  List<SourceObject> objects(String name) {
    List<SourceObject> found = new ArrayList<>();
    JsonNode value = any(name);
    if (value == null) {
      return found;
    }
    if (!value.isArray()) {
      unexpected(name);
    }
    for (JsonNode entry : value) {
      if (entry.isObject()) {
        found.add(new SourceObject(entry, path + name + "[].", notes));
      } else {
        unexpected(name + "[]");
      }
    }
    return found;
  }

  /** The texts of a list, or the one text that stands in its place. */
  List<String> texts(String name) {
    List<String> found = new ArrayList<>();
    JsonNode value = any(name);
    if (value == null) {
      return found;
    }
    for (JsonNode entry : value.isArray() ? value : List.of(value)) {
      if (entry.isTextual()) {
        found.add(entry.textValue());
      } else if (!entry.isNull()) {
        unexpected(name);
      }
    }
    return found;
  }

  private <T> @Nullable T unexpected(String name) {
    notes.accept(UNEXPECTED + path + name);
    return null;
  }
}
