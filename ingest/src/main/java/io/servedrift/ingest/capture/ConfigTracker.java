package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Follows the configuration of one node and tells what changed between two looks, as public JSON:
 * the new {@code config} record, a {@code config_changed} serving event, and one of the kind that
 * names the change where there is one (adapters, weights, batching, cache, scheduler, restart). The
 * first look gives the record alone: what was before it is not known. Not thread-safe.
 */
public final class ConfigTracker {
  private static final int LONGEST_AXES = 1_000;

  private final String deployment;
  private final @Nullable String node;
  private @Nullable Captured last;
  private @Nullable String lastInstance;

  /**
   * @param deployment of the node
   * @param node its name, null when it has none
   */
  public ConfigTracker(String deployment, @Nullable String node) {
    this.deployment = deployment;
    this.node = node;
  }

  /** The latest look that said something, null before the first. */
  public @Nullable Captured current() {
    return last;
  }

  /**
   * Takes a look.
   *
   * @param instance what tells one process of the server from the next, null when nothing does
   * @return events in order; none when nothing changed
   */
  public List<ObjectNode> observe(Captured now, @Nullable String instance, Instant at) {
    List<ObjectNode> events = new ArrayList<>();
    if (instance != null && lastInstance != null && !instance.equals(lastInstance)) {
      events.add(event("node_started", at, "", instance));
    }
    lastInstance = instance != null ? instance : lastInstance;
    Captured before = last;
    if (now.isEmpty() || (before != null && isSame(before, now))) {
      return events;
    }
    last = now;
    events.add(record(now, at));
    if (before != null) {
      changes(before, now, at, events);
    }
    return events;
  }

  private static boolean isSame(Captured a, Captured b) {
    return a.configId().equals(b.configId()) && a.modelId().equals(b.modelId());
  }

  private ObjectNode record(Captured now, Instant at) {
    ObjectNode record = base("config", at);
    if (!now.config().isEmpty()) {
      record.set("config", now.config().deepCopy());
    }
    if (!now.model().isEmpty()) {
      record.set("model", now.model().deepCopy());
    }
    return record;
  }

  private void changes(Captured before, Captured now, Instant at, List<ObjectNode> events) {
    TreeSet<String> leaves = new TreeSet<>();
    differences(before.config(), now.config(), "", leaves);
    leaves.removeIf(leaf -> leaf.startsWith("reported.") || leaf.startsWith("requested."));
    String from = before.configId();
    String to = now.configId();
    if (!from.equals(to)) {
      ObjectNode changed = event("config_changed", at, from, to);
      String axes = String.join(" ", leaves);
      changed
          .withObject("/attributes")
          .put("axes", axes.substring(0, Math.min(axes.length(), LONGEST_AXES)))
          .put("from", from)
          .put("to", to);
      events.add(changed);
    }
    if (!before.modelId().equals(now.modelId())) {
      ObjectNode weights = event("weights_updated", at, before.modelId(), now.modelId());
      weights.withObject("/attributes").put("from", before.modelId()).put("to", now.modelId());
      events.add(weights);
    }
    adapters(before, now, at, events);
    named(
        "batch_limit_changed",
        leaves,
        at,
        from,
        to,
        events,
        "batching.max_batch_size",
        "batching.max_running");
    named("batching_mode_changed", leaves, at, from, to, events, "batching.mode");
    named("cache_policy_changed", leaves, at, from, to, events, "cache.");
    named("scheduler_changed", leaves, at, from, to, events, "extra.schedule_policy");
  }

  private void named(
      String kind,
      TreeSet<String> leaves,
      Instant at,
      String from,
      String to,
      List<ObjectNode> events,
      String... prefixes) {
    for (String prefix : prefixes) {
      String leaf = leaves.ceiling(prefix);
      if (leaf != null && leaf.startsWith(prefix)) {
        ObjectNode event = event(kind, at, from, to);
        event.withObject("/attributes").put("axes", leaf);
        events.add(event);
        return;
      }
    }
  }

  private void adapters(Captured before, Captured now, Instant at, List<ObjectNode> events) {
    TreeSet<String> old = merged(before);
    TreeSet<String> young = merged(now);
    for (String name : young) {
      if (!old.contains(name)) {
        events.add(adapter("adapter_merged", name, at));
      }
    }
    for (String name : old) {
      if (!young.contains(name)) {
        events.add(adapter("adapter_unmerged", name, at));
      }
    }
  }

  private ObjectNode adapter(String kind, String name, Instant at) {
    ObjectNode event = event(kind, at, name, "");
    event.withObject("/attributes").put("adapter", name);
    return event;
  }

  private static TreeSet<String> merged(Captured captured) {
    TreeSet<String> names = new TreeSet<>();
    for (JsonNode adapter : captured.config().at("/extra/active_adapters")) {
      JsonNode merged = adapter.get("merged");
      String name = adapter.path("nickname").asText(adapter.path("path").asText(""));
      if (!name.isEmpty() && (merged == null || merged.asBoolean())) {
        names.add(name.substring(0, Math.min(name.length(), 256)));
      }
    }
    return names;
  }

  private static void differences(
      JsonNode before, JsonNode now, String path, TreeSet<String> leaves) {
    if (Objects.equals(before, now)) {
      return;
    }
    if (!(before instanceof ObjectNode a) || !(now instanceof ObjectNode b)) {
      leaves.add(path);
      return;
    }
    TreeSet<String> names = new TreeSet<>();
    a.fieldNames().forEachRemaining(names::add);
    b.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      String here = path.isEmpty() ? name : path + "." + name;
      JsonNode x = a.get(name);
      JsonNode y = b.get(name);
      if (x == null || y == null) {
        leaves.add(here);
      } else {
        differences(x, y, here, leaves);
      }
    }
  }

  private ObjectNode event(String kind, Instant at, String from, String to) {
    ObjectNode event = base("serving_event", at);
    String identity =
        String.join("\n", deployment, String.valueOf(node), kind, at.toString(), from, to);
    event.put(
        "event_id", UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8)).toString());
    event.put("kind", kind);
    return event;
  }

  private ObjectNode base(String type, Instant at) {
    ObjectNode event = JsonNodeFactory.instance.objectNode().put("type", type);
    event.put("at", at.toString()).put("deployment", deployment);
    if (node != null) {
      event.put("node", node);
    }
    return event;
  }
}
