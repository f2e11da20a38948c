package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.ConfigRecord;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * The public JSON form of records: {@code type} first, snake_case, enums as lower-case words, times
 * as ISO-8601 in UTC, what is not known left out. {@link EventReader} reads it back to an equal
 * record. Thread-safe.
 */
public final class EventJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private EventJson() {}

  /** The object. A {@code config} record shows {@code config} and {@code model} as objects. */
  public static ObjectNode toJson(SpecificRecord record) {
    EventType type = EventType.of(record);
    ObjectNode node = JSON.objectNode();
    node.put("type", type.word());
    if (record instanceof ConfigRecord config) {
      config(config, node);
    } else {
      fields(type.plan(), record, node);
    }
    return node;
  }

  /** The object as one line. */
  public static String write(SpecificRecord record) {
    return toJson(record).toString();
  }

  private static void fields(RecordPlan plan, SpecificRecord record, ObjectNode into) {
    for (RecordPlan.Field field : plan.fields) {
      Object value = record.get(field.pos());
      if (value != null && !(isEmpty(value) && !field.required() && !field.nullable())) {
        into.set(field.name(), value(field.value(), value));
      }
    }
  }

  private static boolean isEmpty(Object value) {
    if (value instanceof Collection<?> c) {
      return c.isEmpty();
    }
    return value instanceof Map<?, ?> m && m.isEmpty();
  }

  private static JsonNode value(ValuePlan plan, @Nullable Object value) {
    if (value == null) {
      return JSON.nullNode();
    }
    return switch (plan.kind) {
      case BOOLEAN -> JSON.booleanNode((Boolean) value);
      case INT -> JSON.numberNode((Integer) value);
      case LONG -> JSON.numberNode((Long) value);
      case DOUBLE -> JSON.numberNode((Double) value);
      case STRING -> JSON.textNode((String) value);
      case TIME -> JSON.textNode(value.toString());
      case ENUM -> JSON.textNode(value.toString().toLowerCase(Locale.ROOT));
      case BYTES -> {
        ByteBuffer bytes = ((ByteBuffer) value).duplicate();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        yield JSON.textNode(Base64.getEncoder().encodeToString(copy));
      }
      case RECORD -> {
        ObjectNode node = JSON.objectNode();
        if (plan.record != null) {
          fields(plan.record, (SpecificRecord) value, node);
        }
        yield node;
      }
      case ARRAY -> {
        ArrayNode node = JSON.arrayNode();
        if (plan.element != null) {
          for (Object entry : (List<?>) value) {
            node.add(value(plan.element, entry));
          }
        }
        yield node;
      }
      case MAP -> {
        ObjectNode node = JSON.objectNode();
        if (plan.element != null) {
          // Sorted, so that equal records have equal text.
          for (Map.Entry<?, ?> e : new TreeMap<>((Map<?, ?>) value).entrySet()) {
            node.set((String) e.getKey(), value(plan.element, e.getValue()));
          }
        }
        yield node;
      }
    };
  }

  private static void config(ConfigRecord c, ObjectNode into) {
    into.put("at", c.getAt().toString());
    text(into, "deployment", c.getDeployment());
    text(into, "node", c.getNode());
    text(into, "config_id", c.getConfigId());
    text(into, "model_id", c.getModelId());
    merged(into, "config", c.getCounted(), c.getNotCounted());
    merged(into, "model", c.getModel(), c.getModelNotCounted());
    text(into, "changed_by", c.getChangedBy());
    text(into, "change_ref", c.getChangeRef());
  }

  private static void text(ObjectNode into, String name, @Nullable String value) {
    if (value != null) {
      into.put(name, value);
    }
  }

  private static void merged(
      ObjectNode into, String name, @Nullable String counted, @Nullable String beside) {
    if (counted == null && beside == null) {
      return;
    }
    ObjectNode node = JSON.objectNode();
    merge(node, counted);
    merge(node, beside);
    into.set(name, node);
  }

  private static void merge(ObjectNode into, @Nullable String json) {
    if (json != null && StrictJson.trusted(json) instanceof ObjectNode from) {
      mergeTree(into, from);
    }
  }

  static void mergeTree(ObjectNode into, ObjectNode from) {
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      if (into.get(e.getKey()) instanceof ObjectNode a && e.getValue() instanceof ObjectNode b) {
        mergeTree(a, b);
      } else {
        into.set(e.getKey(), e.getValue());
      }
    }
  }
}
