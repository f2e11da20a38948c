package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Attributes of a GenAI span as members of a request. */
final class OtlpAttributes {
  private OtlpAttributes() {}

  static void fill(EventDraft draft, SourceObject attributes, AdapterOutput out) {
    String output = attributes.text("gen_ai.output.type");
    String modality =
        output == null ? null : output.equals("json") ? "text" : output.toLowerCase(Locale.ROOT);
    draft
        .put("workload.modality", modality)
        .put("workload.seed", attributes.whole("gen_ai.request.seed"))
        .put("workload.images", "image".equals(modality) ? choices(attributes) : null)
        .put("workload.sampling.temperature", attributes.number("gen_ai.request.temperature"))
        .put("workload.sampling.top_p", attributes.number("gen_ai.request.top_p"))
        .put("workload.sampling.top_k", attributes.whole("gen_ai.request.top_k"))
        .put("queue_seconds", attributes.number("gen_ai.latency.time_in_queue"))
        .put("inference_seconds", attributes.number("gen_ai.latency.time_in_model_inference"))
        .put("time_to_first_token_seconds", attributes.number("gen_ai.latency.time_to_first_token"))
        .put("stage_seconds.prefill", attributes.number("gen_ai.latency.time_in_model_prefill"))
        .put("stage_seconds.decode", attributes.number("gen_ai.latency.time_in_model_decode"));
    List<String> reasons = attributes.texts("gen_ai.response.finish_reasons");
    if (!reasons.isEmpty()) {
      draft.put("finish_reason", reasons.get(0));
    }
    draft.model(first(attributes, "gen_ai.response.model", "gen_ai.request.model"), out::note);
    tokens(draft, attributes, out);
  }

  private static @Nullable Long choices(SourceObject attributes) {
    return attributes.whole("gen_ai.request.choice.count");
  }

  private static void tokens(EventDraft draft, SourceObject attributes, AdapterOutput out) {
    Long input = attributes.whole("gen_ai.usage.input_tokens");
    Long prompt = input != null ? input : attributes.whole("gen_ai.usage.prompt_tokens");
    Long output = attributes.whole("gen_ai.usage.output_tokens");
    draft
        .put("workload.prompt_tokens", prompt)
        .put(
            "workload.output_tokens",
            output != null ? output : attributes.whole("gen_ai.usage.completion_tokens"));
    Long cached = attributes.whole("gen_ai.usage.cache_read.input_tokens");
    if (cached != null) {
      draft.put("cache.hit", cached > 0);
      if (prompt != null && cached > prompt) {
        out.note(SglangMetaInfo.TOO_MANY_CACHED);
      }
    }
  }

  private static @Nullable String first(SourceObject attributes, String name, String otherwise) {
    JsonNode value = attributes.any(name);
    return value != null ? attributes.text(name) : attributes.text(otherwise);
  }
}
