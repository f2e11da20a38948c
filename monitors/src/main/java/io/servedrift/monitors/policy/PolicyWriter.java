package io.servedrift.monitors.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a policy with every field, each value in its one text. */
final class PolicyWriter {

  private static final ObjectMapper CANONICAL =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();
  private static final ObjectMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .build();
  private static final int HASH_DIGITS = 16;

  private PolicyWriter() {}

  static String yaml(Policy policy) {
    return written(YAML, tree(policy));
  }

  static String hash(Policy policy) {
    byte[] text = written(CANONICAL, tree(policy)).getBytes(StandardCharsets.UTF_8);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
      return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** A maintenance as one text, by which a list of them is sorted. */
  static String text(Maintenance maintenance) {
    return written(CANONICAL, tree(maintenance));
  }

  private static String written(ObjectMapper mapper, Object tree) {
    try {
      return mapper.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps of text can be written", e);
    }
  }

  private static Map<String, Object> tree(Policy policy) {
    Map<String, Object> tree = new LinkedHashMap<>();
    put(tree, PolicyField.FALSE_ALARMS, policy.falseAlarmsPerMonth());
    // Hardly any policy has it: left out, the others keep their hash.
    if (!policy.minute().equals(PolicyField.MINUTE.defaultValue())) {
      put(tree, PolicyField.MINUTE, policy.minute());
    }
    put(tree, PolicyField.WARM_UP, policy.warmUp());
    tree.put("baseline", tree(policy.baseline()));
    tree.put("metrics", tree(policy.metrics()));
    Map<String, Object> deployments = new LinkedHashMap<>();
    policy.deployments().forEach((name, one) -> deployments.put(name, tree(one)));
    tree.put("deployments", deployments);
    tree.put("maintenance", policy.maintenance().stream().map(PolicyWriter::tree).toList());
    return tree;
  }

  private static Map<String, Object> tree(BaselinePolicy baseline) {
    Map<String, Object> tree = new LinkedHashMap<>();
    put(tree, PolicyField.LEAST_DURATION, baseline.leastDuration());
    put(tree, PolicyField.LEAST_REQUESTS, baseline.leastRequests());
    put(tree, PolicyField.FULL_DURATION, baseline.fullDuration());
    List<Map<String, Object>> pinned = baseline.pinned().stream().map(PolicyWriter::tree).toList();
    tree.put("pinned", pinned);
    return tree;
  }

  private static Map<String, Object> tree(PinnedRange range) {
    Map<String, Object> tree = new LinkedHashMap<>();
    put(tree, PolicyField.PINNED_DEPLOYMENT, range.deployment());
    range.configId().ifPresent(config -> put(tree, PolicyField.PINNED_CONFIG, config));
    range.modelId().ifPresent(model -> put(tree, PolicyField.PINNED_MODEL, model));
    put(tree, PolicyField.PINNED_FROM, range.from());
    put(tree, PolicyField.PINNED_TO, range.to());
    return tree;
  }

  private static Map<String, Object> tree(MetricRules rules) {
    Map<String, Object> tree = new LinkedHashMap<>();
    rules
        .rules()
        .forEach(
            (pattern, rule) -> {
              Map<String, Object> fields = new LinkedHashMap<>();
              rule.forEach((field, text) -> fields.put(field.key(), unquoted(text)));
              tree.put(pattern.text(), fields);
            });
    return tree;
  }

  /** As text, true and false would be written in quotes. */
  private static Object unquoted(String text) {
    return text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : text;
  }

  private static Map<String, Object> tree(DeploymentPolicy deployment) {
    Map<String, Object> tree = new LinkedHashMap<>();
    deployment
        .falseAlarmsPerMonth()
        .ifPresent(budget -> put(tree, PolicyField.DEPLOYMENT_FALSE_ALARMS, budget));
    tree.put("metrics", tree(deployment.metrics()));
    return tree;
  }

  private static Map<String, Object> tree(Maintenance maintenance) {
    Map<String, Object> tree = new LinkedHashMap<>();
    put(tree, PolicyField.MAINTENANCE_DEPLOYMENT, maintenance.deployment());
    if (maintenance instanceof Maintenance.Once once) {
      put(tree, PolicyField.MAINTENANCE_FROM, once.from());
      put(tree, PolicyField.MAINTENANCE_TO, once.to());
    } else if (maintenance instanceof Maintenance.Weekly weekly) {
      put(tree, PolicyField.MAINTENANCE_WEEKLY, weekly.times());
      put(tree, PolicyField.MAINTENANCE_ZONE, weekly.zone());
    }
    put(tree, PolicyField.MAINTENANCE_WHY, maintenance.why());
    return tree;
  }

  private static <T> void put(Map<String, Object> tree, PolicyField<T> field, T value) {
    tree.put(field.key(), field.type().write(value));
  }
}
