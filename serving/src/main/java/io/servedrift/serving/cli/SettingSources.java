package io.servedrift.serving.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.servedrift.ingest.files.Nearest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The text of each setting from the first source that has it: command line, environment, YAML file,
 * default. Unknown names are problems. Used once; not thread-safe.
 */
final class SettingSources {

  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).build();

  private static final String KAFKA = "kafka";
  private static final String KAFKA_PREFIX = Setting.ENVIRONMENT_PREFIX + "KAFKA_";

  /** Variables with our prefix that other parts read. */
  private static final Set<String> FOREIGN =
      Set.of("SERVEDRIFT_CONFIG", "SERVEDRIFT_JAVA_OPTS", "SERVEDRIFT_TEST_DATA");

  private final List<Setting> known;
  private final List<String> problems = new ArrayList<>();
  private final Map<String, String> kafka = new TreeMap<>();

  /** Reads these settings and no others. */
  SettingSources(List<Setting> known) {
    this.known = known;
  }

  /**
   * Looks through the sources.
   *
   * @param commandLine text by key, as given
   * @param kafkaCommandLine properties of the Kafka client, as given
   * @param environment of the process
   * @param file YAML; {@code null} when none was given
   */
  SettingReader read(
      Map<String, String> commandLine,
      Map<String, String> kafkaCommandLine,
      Map<String, String> environment,
      @Nullable Path file) {
    Map<String, String> inFile = file == null ? Map.of() : file(file);
    checkEnvironment(environment);
    environment.forEach(this::kafkaVariable);
    kafka.putAll(kafkaCommandLine);
    if (kafka.containsKey("bootstrap.servers")) {
      problems.add("kafka bootstrap.servers: must be given as the setting bootstrap-servers");
    }
    Map<String, SettingReader.Found> found = new LinkedHashMap<>();
    for (Setting setting : known) {
      String key = setting.key();
      if (commandLine.containsKey(key)) {
        put(found, key, commandLine.get(key), setting.option());
      } else if (environment.containsKey(setting.environmentName())) {
        put(found, key, environment.get(setting.environmentName()), setting.environmentName());
      } else if (inFile.containsKey(key)) {
        put(found, key, inFile.get(key), file + ": " + key);
      } else {
        put(found, key, setting.defaultText(), key);
      }
    }
    return new SettingReader(found, kafka, problems);
  }

  private static void put(
      Map<String, SettingReader.Found> found, String key, @Nullable String text, String where) {
    if (text != null) {
      found.put(key, new SettingReader.Found(text.strip(), where));
    }
  }

  private void checkEnvironment(Map<String, String> environment) {
    List<String> names = known.stream().map(Setting::environmentName).toList();
    for (String name : new TreeMap<>(environment).keySet()) {
      if (name.startsWith(Setting.ENVIRONMENT_PREFIX)
          && !names.contains(name)
          && !name.startsWith(KAFKA_PREFIX)
          && !FOREIGN.contains(name)) {
        problems.add(name + ": unknown setting in the environment" + Nearest.hint(name, names));
      }
    }
  }

  private void kafkaVariable(String name, String text) {
    if (name.startsWith(KAFKA_PREFIX)) {
      String property = name.substring(KAFKA_PREFIX.length());
      kafka.put(property.toLowerCase(Locale.ROOT).replace('_', '.'), text);
    }
  }

  private Map<String, String> file(Path file) {
    List<String> keys = known.stream().map(Setting::key).toList();
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : tree(file).properties()) {
      String key = entry.getKey();
      JsonNode value = entry.getValue();
      if (key.equals(KAFKA)) {
        kafkaMap(file, value);
      } else if (!keys.contains(key)) {
        problems.add(file + ": " + key + ": unknown setting" + Nearest.hint(key, keys));
      } else if (value.isArray()) {
        List<String> items = new ArrayList<>();
        value.forEach(item -> items.add(item.asText()));
        values.put(key, String.join(",", items));
      } else if (value.isValueNode() && !value.isNull()) {
        values.put(key, value.asText());
      } else {
        problems.add(file + ": " + key + ": must be a value or a list of values");
      }
    }
    return values;
  }

  private void kafkaMap(Path file, JsonNode map) {
    if (!map.isObject()) {
      problems.add(file + ": kafka: must be a map of properties of the Kafka client");
    }
    map.properties().forEach(each -> kafka.put(each.getKey(), each.getValue().asText()));
  }

  private JsonNode tree(Path file) {
    try {
      JsonNode root = YAML.readTree(Files.readString(file));
      if (root.isObject() || root.isMissingNode() || root.isNull()) {
        return root;
      }
      problems.add(file + ": must be a map of settings (key: value)");
    } catch (JsonProcessingException e) {
      problems.add(file + ": not YAML: " + e.getOriginalMessage().lines().findFirst().orElse(""));
    } catch (IOException e) {
      problems.add(file + ": must be a readable settings file");
    }
    return MissingNode.getInstance();
  }
}
