package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.EvalDigest;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recorded score and what its ids mean. Not changed once made.
 *
 * @param result the event
 * @param config the configuration it was measured on, null when only its id is known or none
 * @param model the model that was measured, null when only its id is known or none
 */
public record LedgerEntry(
    EvalResult result, @Nullable Fingerprint config, @Nullable Fingerprint model) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Name and metric as a policy names them: {@code name/metric}. */
  public String name() {
    return result.getName() + "/" + result.getMetric();
  }

  /** eval_id. */
  public String id() {
    return result.getEvalId();
  }

  /** The configuration that was measured; null when none was recorded that counts. */
  public @Nullable String configId() {
    return known(result.getConfigId());
  }

  /** The model that was measured; null when none was recorded that counts. */
  public @Nullable String modelId() {
    return known(result.getModelId());
  }

  /** Whether the record was changed after it was made: nothing can be concluded from it. */
  public boolean isAltered() {
    return EvalDigest.standing(result) == EvalDigest.Standing.ALTERED;
  }

  /** Whether two records say a number of the same evaluation, metric and data. */
  public boolean isOfTheSame(LedgerEntry other) {
    return name().equals(other.name())
        && Objects.equals(result.getDataset(), other.result.getDataset());
  }

  /** Settings of the harness; empty when none was said. */
  public Map<String, String> settings() {
    return result.getSettings() == null ? Map.of() : result.getSettings();
  }

  /** The command that measured; empty when none was kept. */
  public SafeCommand command() {
    return new SafeCommand(orEmpty(result.getCommand()), orEmpty(result.getCommandLeftOut()));
  }

  /** Where the numbers stand in what the command writes; empty for a harness that is known. */
  public Map<String, String> resultPaths() {
    return result.getResultPaths() == null ? Map.of() : result.getResultPaths();
  }

  /** Axes that did not resolve as intended; empty when none, or nothing was intended. */
  public List<String> intendedChanges() {
    return orEmpty(result.getIntendedChanges());
  }

  private static List<String> orEmpty(@Nullable List<String> said) {
    return said == null ? List.of() : said;
  }

  static @Nullable String known(@Nullable String id) {
    return ConfigFingerprint.UNKNOWN.equals(id) ? null : id;
  }

  /**
   * The public event with configuration and model as objects, so that a line of it needs nothing
   * beside it.
   */
  public ObjectNode toJson() {
    ObjectNode node = EventJson.toJson(result);
    if (config != null || model != null) {
      ConfigRecord meaning = registration();
      ObjectNode dictionary = EventJson.toJson(meaning);
      for (String member : new String[] {"config", "model"}) {
        JsonNode object = dictionary.get(member);
        if (object != null) {
          node.set(member, object);
        }
      }
    }
    return node;
  }

  /** The dictionary entry of the ids; without either of them when neither is known. */
  public ConfigRecord registration() {
    ConfigRecord meaning = new ConfigRecord();
    meaning.setAt(result.getAt());
    meaning.setDeployment(result.getDeployment());
    if (config != null) {
      meaning.setConfigId(config.id());
      meaning.setCounted(config.counted());
      meaning.setNotCounted(textOrNull(config.notCounted()));
    }
    if (model != null) {
      meaning.setModelId(model.id());
      meaning.setModel(model.counted());
      meaning.setModelNotCounted(textOrNull(model.notCounted()));
    }
    return meaning;
  }

  private static @Nullable String textOrNull(String canonical) {
    return canonical.equals("{}") ? null : canonical;
  }

  /** Name and revision of the model, or its id, or {@code -}. */
  public String modelName() {
    if (model != null) {
      JsonNode counted = tree(model.counted());
      String name = counted.path("name").asText();
      String revision = counted.path("revision").asText();
      if (!name.isEmpty()) {
        return revision.isEmpty() ? name : name + "@" + revision;
      }
    }
    String id = modelId();
    return id == null ? "-" : id;
  }

  /** Canonical JSON of a fingerprint as a tree. */
  static JsonNode tree(String canonical) {
    try {
      return JSON.readTree(canonical);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a fingerprint holds canonical JSON", e);
    }
  }
}
