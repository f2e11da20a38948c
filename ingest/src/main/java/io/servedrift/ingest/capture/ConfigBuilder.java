package io.servedrift.ingest.capture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Puts arguments and environment of a runtime where the contract has them. Used once. */
final class ConfigBuilder {
  /** What else a runtime reports is kept beside the fingerprint, this many members of it. */
  private static final int MOST_REPORTED = 100;

  private static final JsonMapper JSON = new JsonMapper();

  /** Changes with the machine, the start or the minute, or is nobody's business. */
  private static final Pattern VOLATILE =
      Pattern.compile(
          "(^|_)(port|ports|host|hosts|hostname|addr|address|url|ip|pid|pids|seed|seeds|throughput"
              + "|usage|time|timestamp|ts|uptime|id|uuid|log|logs|logging|dir|file|files|status"
              + "|metrics|trace|traces|token|key|keys|password|secret|kv_events|buckets?)(_|$)"
              + "|^(last_|bucket_|internal_states|max_total_num_tokens|effective_|node_|nnodes"
              + "|dist_|nccl_|watchdog|decode_log|show_|crash_|warmup)");

  /** Variables that change outputs and that no argument shows. */
  private static final Pattern OUTPUT_VARIABLE =
      Pattern.compile(
          "SGLANG_CACHE_DIT_\\w+|SGLANG_DIFFUSION_ATTENTION_BACKEND"
              + "|SGLANG_ENABLE_DETERMINISTIC_INFERENCE|VLLM_BATCH_INVARIANT"
              + "|VLLM_ATTENTION_BACKEND|VLLM_USE_V1|VLLM_FLASH_ATTN_VERSION"
              + "|NVIDIA_TF32_OVERRIDE|TORCH_ALLOW_TF32_CUBLAS_OVERRIDE|CUBLAS_WORKSPACE_CONFIG"
              + "|PYTORCH_TUNABLEOP_ENABLED|FLASHINFER_\\w*BACKEND\\w*");

  private final ObjectNode config = JsonNodeFactory.instance.objectNode();
  private final ObjectNode model = JsonNodeFactory.instance.objectNode();
  private final RuntimeKeys keys;

  ConfigBuilder(RuntimeKeys keys) {
    this.keys = keys;
    put(config, "runtime.name", TextNode.valueOf(keys.label()));
  }

  /** Takes arguments; one that is null says nothing and replaces nothing. */
  ConfigBuilder arguments(Map<String, JsonNode> arguments) {
    int reported = 0;
    for (Map.Entry<String, JsonNode> e : new TreeMap<>(arguments).entrySet()) {
      String name = e.getKey();
      JsonNode value = plain(e.getValue());
      if (value == null || isModelMember(name)) {
        continue;
      }
      String path = keys.path(name);
      if (path != null) {
        put(config, path, value);
      } else if (value.isValueNode()
          && !VOLATILE.matcher(name).find()
          && !name.equals("disable_radix_cache")
          && reported++ < MOST_REPORTED) {
        put(config, "reported." + name.replace('.', '_'), value);
      }
    }
    JsonNode disabled = arguments.get("disable_radix_cache");
    if (disabled != null && disabled.isBoolean()) {
      put(config, "cache.prefix_reuse", BooleanNode.valueOf(!disabled.booleanValue()));
    }
    model(arguments);
    return this;
  }

  private static boolean isModelMember(String name) {
    return RuntimeKeys.MODEL_NAMES.contains(name)
        || Set.of("revision", "weight_version").contains(name);
  }

  private void model(Map<String, JsonNode> arguments) {
    for (String member : RuntimeKeys.MODEL_NAMES) {
      JsonNode name = plain(arguments.get(member));
      if (name != null && name.isArray() && !name.isEmpty()) {
        name = name.get(0);
      }
      if (name != null && name.isTextual() && !name.textValue().isEmpty()) {
        model.set("name", name);
        break;
      }
    }
    JsonNode revision = plain(arguments.get("revision"));
    if (revision != null) {
      model.set("revision", revision);
    }
    JsonNode version = plain(arguments.get("weight_version"));
    if (version != null && !version.asText().equals("default")) {
      put(model, "extra.weight_version", version);
    }
  }

  /** Takes the variables that change outputs, and no other. */
  ConfigBuilder environment(Map<String, String> environment) {
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (OUTPUT_VARIABLE.matcher(name).matches()) {
                put(config, "extra.environment." + name, TextNode.valueOf(value));
              }
            });
    return this;
  }

  /** Sets a leaf of the configuration. */
  ConfigBuilder set(String path, @Nullable JsonNode value) {
    JsonNode plain = plain(value);
    if (plain != null) {
      put(config, path, plain);
    }
    return this;
  }

  /** Sets a leaf of the model. */
  ConfigBuilder setModel(String path, @Nullable JsonNode value) {
    JsonNode plain = plain(value);
    if (plain != null) {
      put(model, path, plain);
    }
    return this;
  }

  Captured build() {
    return of(config, model);
  }

  /** A configuration and model without what must not be kept. */
  static Captured of(ObjectNode config, ObjectNode model) {
    return new Captured(clean(config, false), clean(model, true));
  }

  /** The fingerprint drops secrets; what it keeps, counted or not, is what may be stored. */
  private static ObjectNode clean(ObjectNode from, boolean model) {
    ObjectNode node = from.deepCopy();
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        Fingerprint print =
            model ? ConfigFingerprint.ofModel(node) : ConfigFingerprint.ofConfig(node);
        ObjectNode kept = (ObjectNode) JSON.readTree(print.notCounted());
        merge(kept, (ObjectNode) JSON.readTree(print.counted()));
        return kept;
      } catch (IllegalArgumentException e) {
        node.remove("reported");
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("canonical JSON is JSON", e);
      }
    }
    return JsonNodeFactory.instance.objectNode();
  }

  static void merge(ObjectNode into, ObjectNode from) {
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      if (e.getValue() instanceof ObjectNode inner
          && into.get(e.getKey()) instanceof ObjectNode existing) {
        merge(existing, inner);
      } else {
        into.set(e.getKey(), e.getValue());
      }
    }
  }

  /** Without Python's module names; null for what says nothing. */
  private static @Nullable JsonNode plain(@Nullable JsonNode value) {
    if (value == null
        || value.isNull()
        || value.isMissingNode()
        || (value.isNumber() && !Double.isFinite(value.doubleValue()))) {
      return null;
    }
    if (value.isTextual() && value.textValue().startsWith("torch.")) {
      return TextNode.valueOf(value.textValue().substring("torch.".length()));
    }
    return value;
  }

  private static void put(ObjectNode into, String path, JsonNode value) {
    ObjectNode here = into;
    String[] parts = path.split("\\.", -1);
    for (int i = 0; i < parts.length - 1; i++) {
      here = here.get(parts[i]) instanceof ObjectNode next ? next : here.putObject(parts[i]);
    }
    here.set(parts[parts.length - 1], value);
  }
}
