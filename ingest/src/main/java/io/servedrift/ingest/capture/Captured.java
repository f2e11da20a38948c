package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint;

/**
 * A configuration and model as one source told them: objects of the contract without volatile
 * members; an empty one when the source said nothing of it. Holds no secrets. Not to be changed by
 * the receiver.
 *
 * @param config the {@code config} object
 * @param model the {@code model} object
 */
public record Captured(ObjectNode config, ObjectNode model) {
  /** The id of the configuration, {@code unknown} when nothing in it counts. */
  public String configId() {
    return ConfigFingerprint.ofConfig(config).id();
  }

  /** The id of the model, {@code unknown} when nothing in it counts. */
  public String modelId() {
    return ConfigFingerprint.ofModel(model).id();
  }

  /** Whether nothing that counts was told. */
  public boolean isEmpty() {
    return configId().equals(ConfigFingerprint.UNKNOWN)
        && modelId().equals(ConfigFingerprint.UNKNOWN);
  }
}
