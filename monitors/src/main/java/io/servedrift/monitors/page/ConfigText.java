package io.servedrift.monitors.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.servedrift.monitors.ops.ConfigLabels;
import io.servedrift.schemas.avro.ConfigRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short human names of configurations and models; an axis that is not known is left out. */
public final class ConfigText {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST = 48;

  private ConfigText() {}

  /**
   * One line for a table: runtime and version, precision, batching, cache, hardware, e.g. {@code
   * sglang-diffusion 0.5.7 | bf16 | continuous 8 | cache: conditioning}. Empty when the record says
   * none of them.
   */
  public static String name(ConfigRecord record) {
    ConfigLabels labels = labels(record);
    List<String> parts = new ArrayList<>();
    parts.add((labels.runtime() + " " + labels.runtimeVersion()).strip());
    parts.add(labels.precision());
    parts.add(labels.batching());
    parts.add(labels.cache().isEmpty() ? "" : "cache: " + labels.cache());
    parts.removeIf(String::isEmpty);
    return String.join(" | ", parts);
  }

  /** As {@link #name} for narrow places: runtime, version and batching. */
  public static String shortName(ConfigRecord record) {
    ConfigLabels labels = labels(record);
    String runtime = (labels.runtime() + " " + labels.runtimeVersion()).strip();
    return labels.batching().isEmpty() || runtime.isEmpty()
        ? runtime
        : runtime + ", " + labels.batching();
  }

  /** Name and revision of a model; empty when the record says neither. */
  public static String modelName(ConfigRecord record) {
    JsonNode model = parse(record.getModel());
    return (word(model.path("name")) + " " + word(model.path("revision"))).strip();
  }

  /** The axes as metric labels. */
  static ConfigLabels labels(ConfigRecord record) {
    JsonNode config = parse(record.getCounted());
    String id = record.getConfigId() == null ? "" : record.getConfigId();
    JsonNode precision = config.path("precision");
    String weights = word(precision.path("weights"));
    String method = word(precision.path("method"));
    return new ConfigLabels(
        id,
        word(config.at("/runtime/name")),
        word(config.at("/runtime/version")),
        method.isEmpty() || method.equals(weights) ? weights : (weights + " " + method).strip(),
        batching(config.path("batching")),
        caches(config.path("cache")),
        hardware(config.path("hardware")));
  }

  private static String batching(JsonNode batching) {
    String mode = word(batching.path("mode"));
    if (mode.equals("none") || mode.equals("off") || mode.equals("false")) {
      return "no batching";
    }
    return (mode + " " + word(batching.path("max_batch_size"))).strip();
  }

  private static String caches(JsonNode cache) {
    List<String> on = new ArrayList<>();
    for (String kind : List.of("prefix_reuse", "conditioning", "denoise")) {
      String value = word(cache.path(kind));
      if (!value.isEmpty()
          && !value.equals("false")
          && !value.equals("off")
          && !value.equals("none")) {
        on.add(kind.equals("prefix_reuse") ? "prefix" : kind);
      }
    }
    return on.isEmpty() && cache.size() > 0 ? "off" : String.join("+", on);
  }

  private static String hardware(JsonNode hardware) {
    String gpu = word(hardware.path("gpu"));
    String count = word(hardware.path("count"));
    return count.isEmpty() || count.equals("1") ? gpu : (count + "x " + gpu).strip();
  }

  private static String word(JsonNode node) {
    String text = node.isValueNode() && !node.isNull() ? node.asText() : "";
    return text.length() > LONGEST ? text.substring(0, LONGEST - 1) + "\u2026" : text;
  }

  /** The JSON text of a record's field; a missing node when there is none or it is not JSON. */
  static JsonNode parse(@Nullable String json) {
    try {
      return json == null ? MissingNode.getInstance() : JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
