package io.servedrift.monitors.cli.settings;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The YAML file of settings, flattened to text.
 *
 * @param name the file as the user named it, for messages
 * @param values text by key; a YAML list becomes one text with commas
 * @param kafka the pass-through maps, nested maps joined with dots
 */
record SettingsFile(
    String name, Map<String, String> values, Map<KafkaSettings, Map<String, String>> kafka) {

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).build();

  static SettingsFile none() {
    return new SettingsFile("", Map.of(), Map.of());
  }

  /** Reads {@code file}; what cannot be used is added to {@code problems}. */
  static SettingsFile read(Path file, List<String> problems) {
    Map<String, String> values = new LinkedHashMap<>();
    Map<KafkaSettings, Map<String, String>> kafka = new EnumMap<>(KafkaSettings.class);
    JsonNode root = tree(file, problems);
    if (!root.isObject() && !root.isMissingNode() && !root.isNull()) {
      problems.add(file + ": must be a map of settings (key: value), found a " + kind(root));
    }
    for (Map.Entry<String, JsonNode> entry : root.properties()) {
      String key = entry.getKey();
      KafkaSettings scope = scope(key);
      if (scope != null && entry.getValue().isObject()) {
        flatten("", entry.getValue(), kafka.computeIfAbsent(scope, s -> new LinkedHashMap<>()));
      } else {
        text(entry.getValue())
            .ifPresentOrElse(
                text -> values.put(key, text),
                () ->
                    problems.add(
                        file
                            + ": "
                            + key
                            + ": must be a value or a list of values, found a "
                            + kind(entry.getValue())));
      }
    }
    return new SettingsFile(file.toString(), values, kafka);
  }

  private static @Nullable KafkaSettings scope(String key) {
    for (KafkaSettings scope : KafkaSettings.values()) {
      if (scope.key().equals(key)) {
        return scope;
      }
    }
    return null;
  }

  private static JsonNode tree(Path file, List<String> problems) {
    try {
      return YAML.readTree(Files.readString(file));
    } catch (NoSuchFileException e) {
      problems.add(file + ": no such file (settings file)");
    } catch (JsonProcessingException e) {
      problems.add(file + ": not YAML: " + e.getOriginalMessage().lines().findFirst().orElse(""));
    } catch (IOException e) {
      problems.add(file + ": cannot be read: " + e.getMessage());
    }
    return MissingNode.getInstance();
  }

  private static Optional<String> text(JsonNode node) {
    if (node.isArray()) {
      List<String> items = new ArrayList<>();
      for (JsonNode item : node) {
        if (!item.isValueNode() || item.isNull()) {
          return Optional.empty();
        }
        items.add(item.asText());
      }
      return Optional.of(String.join(",", items));
    }
    return node.isValueNode() && !node.isNull() ? Optional.of(node.asText()) : Optional.empty();
  }

  private static void flatten(String prefix, JsonNode node, Map<String, String> into) {
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      String key = prefix + entry.getKey();
      if (entry.getValue().isObject()) {
        flatten(key + ".", entry.getValue(), into);
      } else {
        text(entry.getValue()).ifPresent(text -> into.put(key, text));
      }
    }
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "map";
      case ARRAY -> "list with maps or empty items";
      case NULL -> "null";
      default -> "single value";
    };
  }
}
