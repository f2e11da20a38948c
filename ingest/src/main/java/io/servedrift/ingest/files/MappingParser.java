package io.servedrift.ingest.files;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a mapping strictly and collects every problem. Used once, not thread-safe. */
final class MappingParser {
  private static final ObjectMapper YAML =
      new ObjectMapper(new YAMLFactory())
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  static final Set<String> TOP_KEYS = Set.of("type", "separator", "fields");
  private final String origin;
  private final MappingProblems problems = new MappingProblems();

  MappingParser(String origin) {
    this.origin = origin;
  }

  Mapping parse(String yaml) throws MappingException {
    JsonNode root = tree(yaml);
    problems.requireKnownKeys(root, "", TOP_KEYS);
    MappedType type = type(root.get("type"));
    char separator = separator(root.get("separator"));
    List<FieldRule> rules = rules(type, root.get("fields"));
    requireFields(type, rules);
    requireNoOverlap(rules);
    if (!problems.all().isEmpty()) {
      throw new MappingException(origin, problems.all());
    }
    return new Mapping(type, separator, rules);
  }

  private JsonNode tree(String yaml) throws MappingException {
    try {
      JsonNode root = YAML.readTree(yaml);
      if (root != null && root.isObject()) {
        return root;
      }
      throw new MappingException(origin, List.of("must be a YAML mapping with the key fields"));
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new MappingException(
          origin, List.of("line " + line + ": not YAML: " + e.getOriginalMessage()));
    }
  }

  private MappedType type(@Nullable JsonNode node) {
    if (node == null) {
      return MappedType.REQUEST;
    }
    MappedType type = MappedType.of(node.asText());
    if (type == null) {
      problems.add(
          "type=" + node.asText(), "must be one of " + String.join(", ", MappedType.labels()));
      return MappedType.REQUEST;
    }
    return type;
  }

  private char separator(@Nullable JsonNode node) {
    if (node == null) {
      return ',';
    }
    String text = node.asText();
    if (text.length() != 1 || "\"\r\n".contains(text)) {
      problems.add("separator=" + text, "must be one character, not a quote or a line end");
      return ',';
    }
    return text.charAt(0);
  }

  private List<FieldRule> rules(MappedType type, @Nullable JsonNode fields) {
    List<FieldRule> rules = new ArrayList<>();
    if (fields == null || !fields.isObject() || fields.isEmpty()) {
      problems.add("fields", "must be a mapping from field paths to columns");
      return rules;
    }
    for (Map.Entry<String, JsonNode> entry : fields.properties()) {
      String path = entry.getKey();
      FieldTarget target = type.target(path);
      if (target == null) {
        problems.add(
            "fields." + path,
            "is no field of a " + type.label() + Nearest.hint(path, type.knownPaths()));
        continue;
      }
      FieldRule rule = new FieldRuleParser(path, target, problems).parse(entry.getValue());
      if (rule != null) {
        rules.add(rule);
      }
    }
    return rules;
  }

  private void requireFields(MappedType type, List<FieldRule> rules) {
    List<String> paths = rules.stream().map(FieldRule::path).toList();
    for (String required : type.required()) {
      if (!paths.contains(required)) {
        problems.add("fields", required + " is missing, a " + type.label() + " needs it");
      }
    }
    boolean endKnown =
        paths.contains("finished_at")
            || (paths.contains("arrived_at") && paths.contains("latency_seconds"));
    if (type == MappedType.REQUEST && !endKnown) {
      problems.add(
          "fields", "finished_at is missing, or arrived_at and latency_seconds in its place");
    }
  }

  private void requireNoOverlap(List<FieldRule> rules) {
    for (FieldRule outer : rules) {
      for (FieldRule inner : rules) {
        if (inner.path().startsWith(outer.path() + ".")) {
          problems.add(
              "fields." + inner.path(), "lies inside " + outer.path() + ", which has a value");
        }
      }
    }
  }
}
