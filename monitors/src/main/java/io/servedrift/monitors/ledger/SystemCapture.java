package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint says that it runs: the resolved configuration, not the intended one.
 *
 * @param at when it was asked
 * @param deployment the logical service, null when it does not say it
 * @param config fingerprint of its configuration
 * @param model fingerprint of its model, null when it does not say it
 */
public record SystemCapture(
    Instant at, @Nullable String deployment, Fingerprint config, @Nullable Fingerprint model) {

  /**
   * Reads the answer of {@code /server_info}.
   *
   * @throws IllegalArgumentException when it names no configuration
   */
  public static SystemCapture of(JsonNode info, Instant at) {
    JsonNode config = info.path("config");
    if (!config.isObject()) {
      throw new IllegalArgumentException(
          "does not say its configuration: must have an object config, or be what SGLang or vLLM"
              + " answer");
    }
    Fingerprint fingerprint = ConfigFingerprint.ofConfig(config);
    if (!fingerprint.isKnown()) {
      throw new IllegalArgumentException("nothing in its config counts for a fingerprint");
    }
    JsonNode model = info.path("model");
    Fingerprint ofModel = model.isObject() ? ConfigFingerprint.ofModel(model) : null;
    String deployment = info.path("deployment").asText();
    return new SystemCapture(
        at,
        deployment.isEmpty() ? null : deployment,
        fingerprint,
        ofModel == null || !ofModel.isKnown() ? null : ofModel);
  }

  /** Axes in which a later capture differs; empty when it is the same system. */
  public List<String> changesTo(SystemCapture later) {
    List<String> changes = new ArrayList<>();
    if (!config.id().equals(later.config.id())) {
      changes.addAll(Objects.requireNonNull(AxisChanges.between(config, later.config)));
    }
    String before = model == null ? null : model.id();
    String after = later.model == null ? null : later.model.id();
    if (!Objects.equals(before, after)) {
      List<String> axes = AxisChanges.between(model, later.model);
      if (axes == null) {
        changes.add("model: " + before + " -> " + after);
      } else {
        axes.forEach(axis -> changes.add("model " + axis));
      }
    }
    return changes;
  }
}
