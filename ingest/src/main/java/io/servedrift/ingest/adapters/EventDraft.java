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
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An event of the contract being put together. What is null is left out: absent means not known.
 * Paths are those of the public JSON, joined by dots.
 */
final class EventDraft {
  static final String OTHER_MODEL =
      "the record names another model than the configuration given beside: nothing of that one's"
          + " is kept";

  /** What runtimes call a model that nobody named. */
  private static final String UNNAMED = "default";

  /** Of one piece: leaves of two of them together would describe what nobody served. */
  private static final Set<String> WHOLE = Set.of("config", "model");

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

  /**
   * The model that the record itself names. One that was captured adds its revision and digest when
   * it has the same name; of another model they say nothing.
   */
  EventDraft model(@Nullable String name, Consumer<String> notes) {
    String given = text("model.name");
    if (name == null || name.equals(given) || name.equals(UNNAMED)) {
      return this;
    }
    if (given != null) {
      event.remove("model");
      notes.accept(OTHER_MODEL);
    }
    return put("model.name", name);
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

  /**
   * The first text, of those outside the configuration, that is longer; a list counts as one.
   *
   * @return its path, null when there is none
   */
  @Nullable String longerThan(int characters) {
    return longerThan(event, "", characters);
  }

  private static @Nullable String longerThan(ObjectNode object, String path, int characters) {
    for (Map.Entry<String, JsonNode> e : object.properties()) {
      String here = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
      JsonNode value = e.getValue();
      String found = null;
      if (value instanceof ObjectNode members) {
        found = here.equals("config") ? null : longerThan(members, here, characters);
      } else if ((value.isTextual() && value.textValue().length() > characters)
          || (value.isArray() && value.toString().length() > characters)) {
        found = here;
      }
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The number at the path, null when there is none. */
  @Nullable Double number(String path) {
    JsonNode value = event.at("/" + path.replace('.', '/'));
    return value.isNumber() ? (Double) value.doubleValue() : null;
  }

  /** The time at the path, null when there is none. */
  @Nullable Instant time(String path) {
    JsonNode value = event.at("/" + path.replace('.', '/'));
    return value.isTextual() ? Instant.parse(value.textValue()) : null;
  }

  /** The text at the path, null when there is none. */
  @Nullable String text(String path) {
    return event.at("/" + path.replace('.', '/')).textValue();
  }

  /**
   * Adds the members of another draft; those of the other win, configuration and model as a whole.
   */
  EventDraft addFrom(EventDraft other) {
    add(event, other.event);
    return this;
  }

  private static void add(ObjectNode into, ObjectNode from) {
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      if (into.get(e.getKey()) instanceof ObjectNode there
          && e.getValue() instanceof ObjectNode more
          && !WHOLE.contains(e.getKey())) {
        add(there, more);
      } else {
        into.set(e.getKey(), e.getValue());
      }
    }
  }

  /** The finished JSON; the draft must not be used afterwards. */
  ObjectNode json() {
    return event;
  }
}
