package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Fingerprints of configurations and models: the first 16 hex digits of SHA-256 over the canonical
 * JSON (RFC 8785) of {@code {"v":1,"config":...}} or {@code {"v":1,"model":...}}. The named leaves
 * of the contract (and what lies under them) and everything in {@code extra} count; other leaves
 * and volatile facts are kept beside; secrets are dropped; nulls and empty objects are removed.
 * Pure and thread-safe.
 */
public final class ConfigFingerprint {
  /** The id when nothing that counts was given. */
  public static final String UNKNOWN = "unknown";

  /** Longest canonical text, characters. */
  static final int MAX_TEXT = 65536;

  private static final int MAX_DEPTH = 32;

  private static final Set<String> CONFIG_LEAVES =
      Set.of(
          "runtime.name",
          "runtime.version",
          "runtime.libraries.cuda",
          "runtime.libraries.cudnn",
          "runtime.libraries.tensorrt",
          "runtime.libraries.driver",
          "runtime.libraries.torch",
          "orchestrator.name",
          "orchestrator.version",
          "precision.weights",
          "precision.activations",
          "precision.kv_cache",
          "precision.method",
          "sampling.temperature",
          "sampling.top_p",
          "sampling.top_k",
          "sampling.repetition_penalty",
          "sampling.sampler",
          "sampling.guidance_scale",
          "sampling.steps",
          "sampling.seed_policy",
          "constrained_decoding.mode",
          "constrained_decoding.schema_hash",
          "batching.mode",
          "batching.max_batch_size",
          "batching.delay_ms",
          "batching.max_running",
          "cache.prefix_reuse",
          "cache.conditioning",
          "cache.denoise",
          "cache.eviction_policy",
          "cache.capacity",
          "hardware.gpu",
          "hardware.count",
          "hardware.interconnect",
          "hardware.parallelism",
          "diffusion.attention_backend",
          "diffusion.offload",
          "diffusion.compile",
          "extra");
  private static final Set<String> MODEL_LEAVES =
      Set.of("name", "revision", "weights_digest", "extra");

  /**
   * An id and what it stands for.
   *
   * @param id 16 hex digits, or {@code "unknown"} when nothing counts
   * @param counted canonical JSON of what counts
   * @param notCounted canonical JSON of what is kept beside, {@code "{}"} if nothing
   * @param dropped paths of members that looked like secrets; their values are gone
   */
  public record Fingerprint(String id, String counted, String notCounted, List<String> dropped) {
    public Fingerprint {
      dropped = List.copyOf(dropped);
    }

    /** Whether something counts. */
    public boolean isKnown() {
      return !id.equals(UNKNOWN);
    }
  }

  private final Set<String> named;
  private final List<String> dropped = new ArrayList<>();

  private ConfigFingerprint(Set<String> named) {
    this.named = named;
  }

  /**
   * Fingerprints a {@code config} object.
   *
   * @throws IllegalArgumentException when it is no object, is nested more than 32 levels, longer
   *     than 64 Ki characters or has no canonical form
   */
  public static Fingerprint ofConfig(JsonNode config) {
    return new ConfigFingerprint(CONFIG_LEAVES).of("config", config);
  }

  /**
   * Fingerprints a {@code model} object: {@code name revision weights_digest} and {@code extra}
   * count.
   *
   * @throws IllegalArgumentException as {@link #ofConfig}
   */
  public static Fingerprint ofModel(JsonNode model) {
    return new ConfigFingerprint(MODEL_LEAVES).of("model", model);
  }

  /** The leaves of a configuration that count, with all that lies under them. */
  public static SortedSet<String> configAxes() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(CONFIG_LEAVES));
  }

  /** The leaves of a model that count, with all that lies under them. */
  public static SortedSet<String> modelAxes() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(MODEL_LEAVES));
  }

  /**
   * The rule behind the ids as one line of JSON: version and the leaves that count. A reader of
   * years later sees from it which axes a record could not yet know.
   */
  public static String schemaText() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("v", 1);
    configAxes().forEach(schema.putArray("config")::add);
    modelAxes().forEach(schema.putArray("model")::add);
    return CanonicalJson.of(schema);
  }

  /** The objects that hold named leaves, by path, with the names of what is in them. */
  static SortedMap<String, SortedSet<String>> membersByAxis(boolean model) {
    SortedMap<String, SortedSet<String>> axes = new TreeMap<>();
    for (String leaf : model ? MODEL_LEAVES : CONFIG_LEAVES) {
      for (int dot = leaf.lastIndexOf('.'); dot > 0; dot = leaf.lastIndexOf('.', dot - 1)) {
        String rest = leaf.substring(dot + 1);
        int next = rest.indexOf('.');
        axes.computeIfAbsent(leaf.substring(0, dot), axis -> new TreeSet<>())
            .add(next < 0 ? rest : rest.substring(0, next));
      }
    }
    return axes;
  }

  /** Whether a leaf of a configuration at this path counts. */
  static boolean counts(List<String> path, boolean model) {
    StringBuilder joined = new StringBuilder();
    boolean isNamed = false;
    for (String name : path) {
      joined.append(joined.isEmpty() ? "" : ".").append(name);
      isNamed |= (model ? MODEL_LEAVES : CONFIG_LEAVES).contains(joined.toString());
      if (VolatileNames.contains(name)) {
        return false;
      }
    }
    return isNamed;
  }

  private Fingerprint of(String member, JsonNode node) {
    if (!(node instanceof ObjectNode object)) {
      throw new IllegalArgumentException(member + ": must be an object");
    }
    ObjectNode counted = JsonNodeFactory.instance.objectNode();
    ObjectNode beside = JsonNodeFactory.instance.objectNode();
    split(object, "", false, counted, beside, 1);
    String countedText = CanonicalJson.of(counted);
    String besideText = CanonicalJson.of(beside);
    if (countedText.length() > MAX_TEXT || besideText.length() > MAX_TEXT) {
      throw new IllegalArgumentException(
          member + ": must be at most " + MAX_TEXT + " characters in canonical form");
    }
    String id = UNKNOWN;
    if (!counted.isEmpty()) {
      // RFC 8785 sorts members: "config" and "model" both come before "v".
      id =
          CanonicalJson.sha256("{\"" + member + "\":" + countedText + ",\"v\":1}").substring(0, 16);
    }
    return new Fingerprint(id, countedText, besideText, dropped);
  }

  private void split(
      ObjectNode from,
      String path,
      boolean inNamed,
      ObjectNode counted,
      ObjectNode beside,
      int depth) {
    requireDepth(path, depth);
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      String name = e.getKey();
      JsonNode value = e.getValue();
      String here = path.isEmpty() ? name : path + "." + name;
      requireWholeCharacters(name);
      if (isDropped(name, value, here)) {
        continue;
      }
      boolean isNamed = inNamed || named.contains(here);
      if (VolatileNames.contains(name)) {
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        JsonNode clean =
            value instanceof ObjectNode object
                ? allBeside(object, here, rest, depth)
                : leaf(value, here, depth);
        put(beside, name, clean);
      } else if (value instanceof ObjectNode object) {
        ObjectNode subCounted = JsonNodeFactory.instance.objectNode();
        ObjectNode subBeside = JsonNodeFactory.instance.objectNode();
        split(object, here, isNamed, subCounted, subBeside, depth + 1);
        put(counted, name, subCounted);
        put(beside, name, subBeside);
      } else {
        put(isNamed ? counted : beside, name, leaf(value, here, depth));
      }
    }
  }

  private ObjectNode allBeside(ObjectNode from, String path, ObjectNode into, int depth) {
    ObjectNode both = JsonNodeFactory.instance.objectNode();
    split(from, path + ".(volatile)", false, both, into, depth + 1);
    return into;
  }

  private static void put(ObjectNode into, String name, JsonNode value) {
    if (!value.isNull() && !(value.isObject() && value.isEmpty())) {
      into.set(name, value);
    }
  }

  /** A list is one leaf: its order and its length mean something, so its entries stay, cleaned. */
  private JsonNode leaf(JsonNode value, String path, int depth) {
    if (value instanceof ArrayNode array) {
      requireDepth(path, depth);
      ArrayNode clean = JsonNodeFactory.instance.arrayNode(array.size());
      for (int i = 0; i < array.size(); i++) {
        JsonNode entry = array.get(i);
        String here = path + "[" + i + "]";
        if (entry instanceof ObjectNode object) {
          clean.add(cleanObject(object, here, depth + 1));
        } else if (entry.isTextual() && Sensitive.isSecretValue(entry.textValue())) {
          dropped.add(here);
        } else {
          clean.add(leaf(entry, here, depth + 1));
        }
      }
      return clean;
    }
    if (value.isNumber() && !Double.isFinite(value.doubleValue())) {
      throw new IllegalArgumentException(path + "=" + value.asText() + ": must be finite");
    }
    if (value.isTextual()) {
      requireWholeCharacters(value.textValue());
    }
    return value;
  }

  private static void requireDepth(String path, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          path + ": must be nested at most " + MAX_DEPTH + " levels");
    }
  }

  private static void requireWholeCharacters(String s) {
    if (JsonRecordReader.hasLoneSurrogate(s)) {
      throw new IllegalArgumentException("text with half a character: must be valid Unicode");
    }
  }

  private ObjectNode cleanObject(ObjectNode object, String path, int depth) {
    requireDepth(path, depth);
    ObjectNode clean = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> e : object.properties()) {
      String here = path + "." + e.getKey();
      requireWholeCharacters(e.getKey());
      if (VolatileNames.contains(e.getKey()) || isDropped(e.getKey(), e.getValue(), here)) {
        continue;
      }
      put(
          clean,
          e.getKey(),
          e.getValue() instanceof ObjectNode inner
              ? cleanObject(inner, here, depth + 1)
              : leaf(e.getValue(), here, depth + 1));
    }
    return clean;
  }

  private boolean isDropped(String name, JsonNode value, String path) {
    boolean secret =
        (value.isTextual() && Sensitive.isSecretValue(value.textValue()))
            || (!value.isNull() && !value.isBoolean() && Sensitive.isSecretName(name));
    if (secret) {
      dropped.add(path);
    }
    return secret;
  }
}
