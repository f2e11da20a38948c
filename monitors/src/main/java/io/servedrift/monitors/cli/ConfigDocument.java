package io.servedrift.monitors.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A configuration, a model or both, read from a JSON file, or a YAML file by its name: a config
 * event, a request with inline members, or the bare object.
 *
 * @param config fingerprint of the configuration, null when the file has none
 * @param model fingerprint of the model, null when the file has none
 */
record ConfigDocument(@Nullable Fingerprint config, @Nullable Fingerprint model) {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final int LARGEST = 1 << 20;

  /** A bare object with nothing but these is a model; anything else is a configuration. */
  private static final Set<String> MODEL_MEMBERS =
      Set.of("name", "revision", "weights_digest", "extra");

  /** Reads {@code file}, or standard input (JSON) for {@code -}. */
  static ConfigDocument read(Path file, InputStream stdin) throws IOException {
    boolean yaml = file.toString().endsWith(".yaml") || file.toString().endsWith(".yml");
    String form = yaml ? "YAML" : "JSON";
    JsonNode root;
    try {
      byte[] content = content(file, stdin);
      root = yaml ? YamlTexts.asTexts(YAML.readTree(content), content) : JSON.readTree(content);
    } catch (JsonProcessingException e) {
      throw CommandFailure.usage(file + ": not one " + form + " object: " + e.getOriginalMessage());
    }
    if (!(root instanceof ObjectNode object)) {
      throw CommandFailure.usage(file + ": must be one " + form + " object");
    }
    try {
      return of(object);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(file + ": " + e.getMessage());
    }
  }

  private static byte[] content(Path file, InputStream stdin) throws IOException {
    try (InputStream in = Terminal.isStdin(file) ? stdin : Files.newInputStream(file)) {
      byte[] content = in.readNBytes(LARGEST + 1);
      if (content.length > LARGEST) {
        throw CommandFailure.usage(file + ": must be at most " + LARGEST + " bytes");
      }
      return content;
    }
  }

  private static ConfigDocument of(ObjectNode object) {
    JsonNode config = object.get("config");
    JsonNode model = object.get("model");
    boolean event = object.has("type") || isObject(config) || isObject(model);
    if (event) {
      if (!isObject(config) && !isObject(model)) {
        throw new IllegalArgumentException("has neither a config nor a model object");
      }
      return new ConfigDocument(
          isObject(config) ? ConfigFingerprint.ofConfig(config) : null,
          isObject(model) ? ConfigFingerprint.ofModel(model) : null);
    }
    boolean bareModel = !object.isEmpty();
    for (String name : (Iterable<String>) object::fieldNames) {
      bareModel &= MODEL_MEMBERS.contains(name);
    }
    return bareModel
        ? new ConfigDocument(null, ConfigFingerprint.ofModel(object))
        : new ConfigDocument(ConfigFingerprint.ofConfig(object), null);
  }

  private static boolean isObject(@Nullable JsonNode node) {
    return node != null && node.isObject();
  }

  /** The parts that are there, by the name of their id. */
  Map<String, Fingerprint> parts() {
    Map<String, Fingerprint> parts = new LinkedHashMap<>();
    if (config != null) {
      parts.put("config_id", config);
    }
    if (model != null) {
      parts.put("model_id", model);
    }
    return parts;
  }

  /** The JSON text of one side of a fingerprint as a tree. */
  static JsonNode tree(String canonical) {
    try {
      return JSON.readTree(canonical);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("canonical JSON cannot be read: " + canonical, e);
    }
  }

  /** Path to JSON text of every leaf, sorted by path. */
  static Map<String, String> leaves(String canonical) {
    Map<String, String> leaves = new TreeMap<>();
    collect("", tree(canonical), leaves);
    return leaves;
  }

  private static void collect(String path, JsonNode node, Map<String, String> into) {
    if (!node.isObject()) {
      into.put(path, node.toString());
      return;
    }
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      collect(
          path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(), entry.getValue(), into);
    }
  }
}
