package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.PromptHash;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for, read from its JSON body. Prompts leave it only as keyed hashes, except
 * through {@link #promptForScorer()}. Immutable.
 */
final class Ask {

  private static final Pattern SIZE = Pattern.compile("(\\d{1,6})x(\\d{1,6})");

  private final JsonNode body;

  private Ask(JsonNode body) {
    this.body = body;
  }

  /** What this body asks for. */
  static Ask of(JsonNode body) {
    return new Ask(body);
  }

  /** Of a body that cannot be read: nothing is known. */
  static Ask unknown() {
    return new Ask(JsonNodeFactory.instance.objectNode());
  }

  /** The model asked for. */
  @Nullable String model() {
    JsonNode model = body.path("model");
    return model.isTextual() ? model.textValue() : null;
  }

  /** The prompt as text, to send to the scorer with its image; never to be published or logged. */
  @Nullable String promptForScorer() {
    JsonNode prompt = body.path("prompt");
    return prompt.isTextual() ? prompt.textValue() : null;
  }

  /**
   * The {@code workload} of the event.
   *
   * @param hash how prompts are hashed; null: they are not
   */
  ObjectNode workload(Route route, @Nullable PromptHash hash, @Nullable String promptClass) {
    ObjectNode workload = JsonNodeFactory.instance.objectNode();
    workload.put("modality", route.modality());
    if (hash != null) {
      String prompt = prompt();
      JsonNode negative = body.path("negative_prompt");
      workload.put("prompt_hash", prompt == null ? null : hash.of(prompt));
      workload.put(
          "negative_prompt_hash", negative.isTextual() ? hash.of(negative.textValue()) : null);
    }
    workload.put("prompt_class", promptClass);
    Matcher size = SIZE.matcher(body.path("size").asText(""));
    if (size.matches()) {
      workload.put("width", Integer.parseInt(size.group(1)));
      workload.put("height", Integer.parseInt(size.group(2)));
    }
    if (!route.modality().equals("text")) {
      copyWhole(body, "n", workload, "images");
      copyWhole(body, "num_inference_steps", workload, "steps");
      copyWhole(body, "num_frames", workload, "frames");
      copyNumber(body, "guidance_scale", workload);
    }
    copyWhole(sampling(), "seed", workload, "seed");
    copyWhole(sampling(), "sampling_seed", workload, "seed");
    ObjectNode values = workload.putObject("sampling");
    copyNumber(sampling(), "temperature", values);
    copyNumber(sampling(), "top_p", values);
    copyWhole(sampling(), "top_k", values, "top_k");
    copyNumber(sampling(), "repetition_penalty", values);
    if (values.isEmpty()) {
      workload.remove("sampling");
    }
    constrained(workload);
    return workload;
  }

  /** SGLang's own endpoint keeps them apart. */
  private JsonNode sampling() {
    JsonNode apart = body.path("sampling_params");
    return apart.isObject() ? apart : body;
  }

  /** The prompt, or the conversation as canonical JSON, so that equal ones hash equally. */
  private @Nullable String prompt() {
    for (String name : new String[] {"prompt", "text", "messages"}) {
      JsonNode value = body.path(name);
      if (value.isTextual()) {
        return value.textValue();
      }
      if (value.isArray() && value.size() > 0) {
        return CanonicalText.of(value);
      }
    }
    return null;
  }

  private void constrained(ObjectNode workload) {
    String mode = constraint();
    if (mode != null) {
      ObjectNode constrained = workload.putObject("constrained").put("mode", mode);
      JsonNode schema = schema();
      if (schema != null) {
        constrained.put("schema_hash", CanonicalText.sha256(CanonicalText.of(schema)));
      }
    }
  }

  private @Nullable String constraint() {
    String format = body.path("response_format").path("type").asText("");
    JsonNode own = sampling();
    if (format.equals("json_object") || format.equals("json_schema") || own.has("json_schema")) {
      return "json";
    }
    if (own.has("regex")) {
      return "regex";
    }
    if (own.has("ebnf")) {
      return "grammar";
    }
    return format.equals("text") ? "off" : null;
  }

  /** Whether the answer is to be JSON. */
  boolean wantsJson() {
    return "json".equals(constraint());
  }

  /** The schema that the answer is to match, null when the request gives none. */
  @Nullable JsonNode schema() {
    JsonNode schema = body.path("response_format").path("json_schema").path("schema");
    return schema.isObject() ? schema : null;
  }

  private static void copyWhole(JsonNode from, String name, ObjectNode into, String as) {
    JsonNode value = from.path(name);
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      into.put(as, value.longValue());
    }
  }

  private static void copyNumber(JsonNode from, String name, ObjectNode into) {
    JsonNode value = from.path(name);
    if (value.isNumber() && Double.isFinite(value.doubleValue())) {
      into.put(name, value.doubleValue());
    }
  }
}
