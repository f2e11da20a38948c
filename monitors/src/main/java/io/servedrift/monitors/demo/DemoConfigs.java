package io.servedrift.monitors.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import java.time.Instant;

/** The two serving configurations of the demonstration and the one model that both serve. */
final class DemoConfigs {
  private static final ObjectMapper JSON = new ObjectMapper();

  static final String SERIAL =
      """
      {"runtime":{"name":"diffusers","version":"0.35.1","libraries":{"cuda":"12.8","torch":"2.7.1"}},
       "orchestrator":{"name":"kserve","version":"0.15.2"},
       "precision":{"weights":"bf16","activations":"bf16"},
       "sampling":{"sampler":"euler","guidance_scale":3.5,"steps":8,"seed_policy":"per_request"},
       "constrained_decoding":{"mode":"off"},
       "batching":{"mode":"none","max_batch_size":1},
       "cache":{"conditioning":"off","denoise":"off"},
       "hardware":{"gpu":"L40S","count":1},
       "diffusion":{"attention_backend":"sdpa","compile":false}}
      """;

  static final String BATCHING =
      """
      {"runtime":{"name":"sglang-diffusion","version":"0.5.7","libraries":{"cuda":"12.8","torch":"2.7.1"}},
       "orchestrator":{"name":"kserve","version":"0.15.2"},
       "precision":{"weights":"bf16","activations":"bf16"},
       "sampling":{"sampler":"euler","guidance_scale":3.5,"steps":8,"seed_policy":"per_request"},
       "constrained_decoding":{"mode":"off"},
       "batching":{"mode":"continuous","max_batch_size":8,"delay_ms":0,"max_running":8},
       "cache":{"conditioning":"lru","denoise":"step_reuse","eviction_policy":"lru","capacity":400},
       "hardware":{"gpu":"L40S","count":1},
       "diffusion":{"attention_backend":"flash3","compile":true}}
      """;

  static final String MODEL =
      """
      {"name":"flux-schnell","revision":"r3",
       "weights_digest":"sha256:5d3f9a6c0b7e1842c9e05f6a7b1d2c3e4f5061728394a5b6c7d8e9f00112233a"}
      """;

  private DemoConfigs() {}

  static String configId(String config) {
    return ConfigFingerprint.ofConfig(parse(config)).id();
  }

  static String modelId() {
    return ConfigFingerprint.ofModel(parse(MODEL)).id();
  }

  static ConfigRecord record(String config, String deployment, String node, Instant at) {
    Fingerprint configuration = ConfigFingerprint.ofConfig(parse(config));
    Fingerprint model = ConfigFingerprint.ofModel(parse(MODEL));
    return ConfigRecord.newBuilder()
        .setAt(at)
        .setDeployment(deployment)
        .setNode(node)
        .setConfigId(configuration.id())
        .setCounted(configuration.counted())
        .setModelId(model.id())
        .setModel(model.counted())
        .setChangedBy("demo")
        .build();
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("configuration of the demonstration: not JSON", e);
    }
  }
}
