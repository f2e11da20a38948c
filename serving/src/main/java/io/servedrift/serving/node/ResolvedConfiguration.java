package io.servedrift.serving.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Configuration and model in force, as the {@code config} event writes them, with their
 * fingerprints. Faults, ports and paths are no part of it. Immutable.
 */
public final class ResolvedConfiguration {

  private final ObjectNode configJson;
  private final ObjectNode modelJson;
  private final Fingerprint config;
  private final Fingerprint model;

  /**
   * Fingerprints what is in force.
   *
   * @param version of this program
   * @param batching how requests share the denoiser now
   */
  public ResolvedConfiguration(
      String version, ModelCard modelCard, EngineCard engine, SchedulerLimits batching) {
    configJson = config(version, modelCard, engine, batching);
    modelJson =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", modelCard.name())
            .put("revision", modelCard.revision())
            .put("weights_digest", modelCard.weightsDigest());
    config = ConfigFingerprint.ofConfig(configJson);
    model = ConfigFingerprint.ofModel(modelJson);
  }

  private static ObjectNode config(
      String version, ModelCard modelCard, EngineCard engine, SchedulerLimits batching) {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    ObjectNode runtime = config.putObject("runtime");
    runtime.put("name", "servedrift-serving").put("version", version);
    runtime.putObject("libraries").put("torch", engine.torch());
    config
        .putObject("precision")
        .put("weights", engine.weights())
        .put("activations", engine.activations())
        .put("method", engine.quantisation());
    config
        .putObject("sampling")
        .put("sampler", engine.sampler())
        .put("steps", modelCard.defaultSteps())
        .put("guidance_scale", modelCard.defaultGuidanceScale())
        .put("seed_policy", "request");
    config
        .putObject("batching")
        .put("mode", batching.mode().word())
        .put("max_batch_size", batching.batchSize())
        .put("max_running", batching.running());
    boolean caching = engine.cacheBytes() > 0;
    ObjectNode cache = config.putObject("cache");
    cache.put("conditioning", caching ? "on" : "off");
    cache.put("denoise", reuse(engine.stepReuseThreshold()));
    if (caching) {
      cache.put("eviction_policy", "lru").put("capacity", engine.cacheBytes());
    }
    ObjectNode hardware = config.putObject("hardware");
    hardware.put("gpu", engine.hardware()).put("count", engine.devices());
    if (engine.threads() != null) {
      hardware.putObject("parallelism").put("threads", engine.threads());
    }
    config.putObject("extra").put("max_preemptions", batching.preemptions());
    return config;
  }

  private static String reuse(double threshold) {
    return threshold > 0 ? "step-reuse@" + threshold : "off";
  }

  /** Fingerprint of the configuration. */
  public String configId() {
    return config.id();
  }

  /** Fingerprint of the model. */
  public String modelId() {
    return model.id();
  }

  /** The configuration as JSON; a copy. */
  public ObjectNode config() {
    return configJson.deepCopy();
  }

  /** The model as JSON; a copy. */
  public ObjectNode model() {
    return modelJson.deepCopy();
  }

  /** The dictionary entry of both fingerprints. */
  ConfigRecord record(Instant at, String deployment, @Nullable String node) {
    return ConfigRecord.newBuilder()
        .setAt(at.truncatedTo(ChronoUnit.MICROS))
        .setDeployment(deployment)
        .setNode(node)
        .setConfigId(config.id())
        .setModelId(model.id())
        .setCounted(config.counted())
        .setNotCounted(config.notCounted())
        .setModel(model.counted())
        .setModelNotCounted(model.notCounted())
        .build();
  }
}
