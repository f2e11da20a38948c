package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The part of JSON Schema (draft 2020-12) that constrained decoding is asked for most: {@code
 * type}, {@code properties}, {@code required}, {@code additionalProperties} true or false, {@code
 * items}, {@code enum}. A schema that uses more is refused, so that nothing passes unchecked.
 * Immutable.
 */
public final class JsonForm {
  private static final int MAX_DEPTH = 32;
  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "number", "integer", "boolean", "null");
  private static final Set<String> CHECKED =
      Set.of("type", "properties", "required", "additionalProperties", "items", "enum");
  private static final Set<String> SAYING_NOTHING =
      Set.of("$schema", "$id", "title", "description", "default", "examples", "$comment");

  private final JsonNode schema;

  private JsonForm(JsonNode schema) {
    this.schema = schema;
  }

  /**
   * Takes a schema.
   *
   * @throws IllegalArgumentException when it is none, or uses a keyword that is not checked
   */
  public static JsonForm of(JsonNode schema) {
    List<String> problems = new ArrayList<>();
    check(schema, "schema", 0, problems);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return new JsonForm(schema);
  }

  private static void check(JsonNode node, String at, int depth, List<String> problems) {
    if (!node.isObject()) {
      problems.add(at + ": must be an object");
      return;
    }
    if (depth > MAX_DEPTH) {
      problems.add(at + ": must be nested at most " + MAX_DEPTH + " levels");
      return;
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      if (!CHECKED.contains(member.getKey()) && !SAYING_NOTHING.contains(member.getKey())) {
        problems.add(at + "." + member.getKey() + ": must be one of " + new TreeSet<>(CHECKED));
      }
    }
    for (String type : types(node.get("type"))) {
      if (!TYPES.contains(type)) {
        problems.add(at + ".type=" + type + ": must be one of " + new TreeSet<>(TYPES));
      }
    }
    JsonNode additional = node.get("additionalProperties");
    if (additional != null && !additional.isBoolean()) {
      problems.add(at + ".additionalProperties: must be true or false");
    }
    for (String list : List.of("required", "enum")) {
      if (node.has(list) && !node.get(list).isArray()) {
        problems.add(at + "." + list + ": must be a list");
      }
    }
    if (node.has("items")) {
      check(node.get("items"), at + ".items", depth + 1, problems);
    }
    for (Map.Entry<String, JsonNode> member : node.path("properties").properties()) {
      check(member.getValue(), at + "." + member.getKey(), depth + 1, problems);
    }
  }

  private static List<String> types(@Nullable JsonNode type) {
    List<String> types = new ArrayList<>();
    if (type != null && type.isArray()) {
      type.forEach(one -> types.add(one.asText()));
    } else if (type != null) {
      types.add(type.asText());
    }
    return types;
  }

  /** The schema as JSON. */
  @Override
  public String toString() {
    return schema.toString();
  }

  /** Whether a value is of this form. */
  public boolean accepts(JsonNode value) {
    return accepts(schema, value);
  }

  private static boolean accepts(JsonNode form, JsonNode value) {
    List<String> types = types(form.get("type"));
    if (!types.isEmpty() && types.stream().noneMatch(type -> isA(type, value))) {
      return false;
    }
    JsonNode allowed = form.get("enum");
    if (allowed != null && !contains(allowed, value)) {
      return false;
    }
    return (!value.isObject() || acceptsMembers(form, value))
        && (!value.isArray() || acceptsItems(form, value));
  }

  private static boolean contains(JsonNode list, JsonNode value) {
    for (JsonNode one : list) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean acceptsItems(JsonNode form, JsonNode list) {
    JsonNode items = form.get("items");
    if (items == null) {
      return true;
    }
    for (JsonNode one : list) {
      if (!accepts(items, one)) {
        return false;
      }
    }
    return true;
  }

  private static boolean acceptsMembers(JsonNode form, JsonNode object) {
    for (JsonNode name : form.path("required")) {
      if (!object.has(name.asText())) {
        return false;
      }
    }
    JsonNode properties = form.path("properties");
    Set<String> unknown = new HashSet<>();
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      JsonNode wanted = properties.get(member.getKey());
      if (wanted == null) {
        unknown.add(member.getKey());
      } else if (!accepts(wanted, member.getValue())) {
        return false;
      }
    }
    return unknown.isEmpty() || form.path("additionalProperties").asBoolean(true);
  }

  private static boolean isA(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "number" -> value.isNumber();
      case "integer" ->
          value.isIntegralNumber() || (value.isNumber() && value.doubleValue() % 1 == 0);
      case "boolean" -> value.isBoolean();
      default -> value.isNull();
    };
  }
}
