package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A CloudEvent 1.0 in one JSON line: structured ({@code specversion} beside {@code data} or {@code
 * data_base64}), or binary as recorders of Kafka and HTTP write it: {@code headers}, an object or
 * kcat's list of names and values in turn, beside {@code value}, {@code payload} or {@code body}.
 *
 * @param attributes by name, without the prefix of the binary forms
 * @param data the body as JSON; an object without members when it is none
 */
record CloudEvent(ObjectNode attributes, JsonNode data) {

  /** The event in the object; null when it is none. */
  static @Nullable CloudEvent of(ObjectNode line) {
    if (line.has("specversion")) {
      return new CloudEvent(line, structuredData(line));
    }
    JsonNode headers = line.get("headers");
    if (headers == null) {
      return null;
    }
    ObjectNode attributes = JsonNodeFactory.instance.objectNode();
    if (headers.isArray()) {
      for (int i = 0; i + 1 < headers.size(); i += 2) {
        put(attributes, headers.get(i).asText(), headers.get(i + 1));
      }
    } else {
      for (Map.Entry<String, JsonNode> e : headers.properties()) {
        put(attributes, e.getKey(), e.getValue());
      }
    }
    if (!attributes.has("specversion")) {
      return null;
    }
    for (String member : new String[] {"value", "payload", "body"}) {
      if (line.has(member)) {
        return new CloudEvent(attributes, parsed(line.get(member)));
      }
    }
    return new CloudEvent(attributes, JsonNodeFactory.instance.objectNode());
  }

  private static void put(ObjectNode attributes, String header, JsonNode value) {
    String name = header.toLowerCase(Locale.ROOT);
    for (String prefix : new String[] {"ce_", "ce-"}) {
      if (name.startsWith(prefix) && value.isValueNode()) {
        attributes.put(name.substring(prefix.length()), value.asText());
      }
    }
  }

  private static JsonNode structuredData(ObjectNode line) {
    JsonNode encoded = line.get("data_base64");
    if (encoded == null || !encoded.isTextual()) {
      return parsed(line.path("data"));
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(encoded.textValue());
      return parsed(JsonNodeFactory.instance.textNode(new String(bytes, StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException e) {
      return JsonNodeFactory.instance.objectNode();
    }
  }

  /** A body may stand as JSON, or as text that holds it. */
  private static JsonNode parsed(JsonNode value) {
    JsonNode json = value.isTextual() ? SourceJson.value(value.textValue()) : value;
    return json == null ? JsonNodeFactory.instance.objectNode() : json;
  }

  /** An attribute; null when it is absent or empty. */
  @Nullable String attribute(String name) {
    JsonNode value = attributes.get(name);
    return value != null && value.isTextual() && !value.textValue().isEmpty()
        ? value.textValue()
        : null;
  }
}
