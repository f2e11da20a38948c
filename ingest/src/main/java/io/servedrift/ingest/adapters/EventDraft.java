package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.servedrift.ingest.capture.Captured;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * An event of the contract being put together. What is null is left out: absent means not known.
 * Paths are those of the public JSON, joined by dots.
 */
final class EventDraft {
  private final ObjectNode event = JsonNodeFactory.instance.objectNode();

  private EventDraft(String type) {
    event.put("type", type);
  }

  /** A request with what the settings say of every request. */
  static EventDraft request(AdapterSettings settings) {
    EventDraft draft = new EventDraft("request").where(settings);
    settings.captured().ifPresent(draft::captured);
    return draft;
  }

  /** A serving event; its kind and time are still to be put. */
  static EventDraft servingEvent(AdapterSettings settings) {
    return new EventDraft("serving_event").where(settings);
  }

  /** A score; deployment only, scores have no node. */
  static EventDraft score(AdapterSettings settings) {
    EventDraft draft = new EventDraft("score");
    settings.deployment().ifPresent(name -> draft.put("deployment", name));
    return draft;
  }

  private EventDraft where(AdapterSettings settings) {
    settings.deployment().ifPresent(name -> put("deployment", name));
    settings.node().ifPresent(name -> put("node", name));
    return this;
  }

  private void captured(Captured captured) {
    if (!captured.config().isEmpty()) {
      event.set("config", captured.config().deepCopy());
    }
    if (!captured.model().isEmpty()) {
      event.set("model", captured.model().deepCopy());
    }
  }

  EventDraft put(String path, @Nullable String value) {
    return value == null ? this : set(path, TextNode.valueOf(value));
  }

  EventDraft put(String path, @Nullable Double value) {
    return value == null ? this : set(path, DoubleNode.valueOf(value));
  }

  EventDraft put(String path, @Nullable Long value) {
    return value == null ? this : set(path, LongNode.valueOf(value));
  }

  EventDraft put(String path, int value) {
    return set(path, IntNode.valueOf(value));
  }

  EventDraft put(String path, @Nullable Boolean value) {
    return value == null ? this : set(path, JsonNodeFactory.instance.booleanNode(value));
  }

  EventDraft put(String path, @Nullable Instant value) {
    return value == null ? this : put(path, value.toString());
  }

  /** A list, left out when it is empty. */
  EventDraft put(String path, Collection<String> values) {
    if (values.isEmpty()) {
      return this;
    }
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    values.forEach(list::add);
    return set(path, list);
  }

  private EventDraft set(String path, JsonNode value) {
    ObjectNode here = event;
    String[] parts = path.split("\\.", -1);
    for (int i = 0; i < parts.length - 1; i++) {
      here = here.get(parts[i]) instanceof ObjectNode next ? next : here.putObject(parts[i]);
    }
    here.set(parts[parts.length - 1], value);
    return this;
  }

  /** Whether something stands at the path. */
  boolean has(String path) {
    return !event.at("/" + path.replace('.', '/')).isMissingNode();
  }

  /** The number at the path, null when there is none. */
  @Nullable Double number(String path) {
    JsonNode value = event.at("/" + path.replace('.', '/'));
    return value.isNumber() ? (Double) value.doubleValue() : null;
  }

  /** The finished JSON; the draft must not be used afterwards. */
  ObjectNode json() {
    return event;
  }
}
