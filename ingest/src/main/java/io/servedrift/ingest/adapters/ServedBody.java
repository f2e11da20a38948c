package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.PromptHash;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of OpenAI-style endpoints, of SGLang's {@code /generate} and of vLLM, as members of a
 * request. Texts and images are not looked at; a prompt becomes its hash, where there is a key.
 */
final class ServedBody {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,5})[xX](\\d{1,5})");

  private final EventDraft draft;
  private final Consumer<String> notes;

  ServedBody(EventDraft draft, Consumer<String> notes) {
    this.draft = draft;
    this.notes = notes;
  }

  /** What the client asked for. */
  void request(SourceObject body, Optional<PromptHash> hash) {
    String size = body.text("size");
    Matcher pixels = SIZE.matcher(size == null ? "" : size);
    boolean image = size != null || body.has("num_inference_steps");
    if (pixels.matches()) {
      draft
          .put("workload.width", Long.valueOf(pixels.group(1)))
          .put("workload.height", Long.valueOf(pixels.group(2)));
    }
    draft
        .put("workload.images", image ? body.whole("n") : null)
        .put("workload.frames", body.whole("num_frames"))
        .put("workload.steps", body.whole("num_inference_steps"))
        .put("workload.guidance_scale", body.number("guidance_scale"))
        .put("workload.seed", body.whole("seed"))
        .put("workload.sampling.temperature", body.number("temperature"))
        .put("workload.sampling.top_p", body.number("top_p"))
        .put("workload.sampling.top_k", body.whole("top_k"))
        .put("workload.sampling.repetition_penalty", body.number("repetition_penalty"))
        .put("scheduling.priority", body.whole("priority"));
    JsonNode prompt = body.any("prompt");
    if (prompt != null && prompt.isTextual() && hash.isPresent()) {
      draft.put("workload.prompt_hash", hash.get().of(prompt.textValue()));
    }
    JsonNode negative = body.any("negative_prompt");
    if (negative != null && negative.isTextual() && hash.isPresent()) {
      draft.put("workload.negative_prompt_hash", hash.get().of(negative.textValue()));
    }
    SglangParameters.fill(draft, body, hash);
    JsonNode format = body.any("response_format");
    // Of an image it is one word: how the image is sent.
    if (format == null || !format.isTextual()) {
      constrained(body.object("response_format"));
    }
  }

  private void constrained(SourceObject format) {
    String type = format.text("type");
    if (type == null) {
      return;
    }
    if (type.equals("text")) {
      draft.put("workload.constrained.mode", "off");
      return;
    }
    draft.put("workload.constrained.mode", type);
    JsonNode schema = format.object("json_schema").any("schema");
    if (schema != null) {
      draft.put("workload.constrained.schema_hash", Sha256.hex(schema.toString()));
    }
  }

  /** What the runtime answered. */
  void response(SourceObject body) {
    SourceObject meta = body.object("meta_info");
    if (!meta.isAbsent()) {
      SglangMetaInfo info = new SglangMetaInfo(meta, notes);
      info.fill(draft);
      draft.put("arrived_at", info.arrived()).put("finished_at", info.finished());
      return;
    }
    draft.model(body.text("model"), notes);
    JsonNode data = body.any("data");
    if (data != null && data.isArray() && !body.has("choices") && isImages(data)) {
      draft.put("workload.modality", "image").put("workload.images", data.size());
    }
    List<SourceObject> choices = body.objects("choices");
    if (!choices.isEmpty()) {
      draft
          .put("workload.modality", "text")
          .put("finish_reason", choices.get(0).text("finish_reason"));
    }
    draft.put("inference_seconds", body.number("inference_time_s"));
    usage(body.object("usage"));
    metrics(body.object("metrics"));
  }

  private static boolean isImages(JsonNode data) {
    JsonNode first = data.path(0);
    return first.has("b64_json") || first.has("url") || first.has("file_path");
  }

  private void usage(SourceObject usage) {
    Long prompt = usage.whole("prompt_tokens");
    draft
        .put("workload.prompt_tokens", prompt)
        .put("workload.output_tokens", usage.whole("completion_tokens"));
    Long cached = usage.object("prompt_tokens_details").whole("cached_tokens");
    if (cached != null) {
      draft.put("cache.hit", cached > 0);
      if (prompt != null && cached > prompt) {
        notes.accept(SglangMetaInfo.TOO_MANY_CACHED);
      }
    }
  }

  /** Of vLLM, milliseconds; of vLLM-Omni, stages in seconds. */
  private void metrics(SourceObject metrics) {
    Double first = seconds(metrics.number("time_to_first_token_ms"));
    draft
        .put("time_to_first_token_seconds", first)
        .put("queue_seconds", seconds(metrics.number("queue_time_ms")))
        .put("stage_seconds.generation", seconds(metrics.number("generation_time_ms")));
    Double step = metrics.number("mean_itl_ms");
    Double tokens = draft.number("workload.output_tokens");
    if (!draft.has("latency_seconds") && first != null && tokens != null) {
      Double rest = tokens <= 1 ? (Double) 0.0 : step == null ? null : (tokens - 1) * step / 1_000;
      draft.put("latency_seconds", rest == null ? null : round(first + rest));
    }
    stages(metrics.any("stage_durations"));
  }

  private void stages(@Nullable JsonNode durations) {
    Map<String, Double> stages = new TreeMap<>();
    if (durations != null && durations.isObject()) {
      durations
          .properties()
          .forEach(
              e -> {
                if (e.getValue().isNumber() && e.getKey().matches("[A-Za-z0-9_]{1,64}")) {
                  stages.put(e.getKey(), e.getValue().doubleValue());
                }
              });
    }
    stages.entrySet().stream()
        .limit(32)
        .forEach(e -> draft.put("stage_seconds." + e.getKey(), e.getValue()));
  }

  private static @Nullable Double seconds(@Nullable Double milliseconds) {
    return milliseconds == null ? null : round(milliseconds / 1_000);
  }

  private static Double round(double seconds) {
    return Math.rint(seconds * 1e6) / 1e6;
  }
}
