package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.PromptHash;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a client asked SGLang for: {@code GenerateReqInput} and its sampling parameters. */
final class SglangParameters {
  /** Members that constrain decoding, by the mode that each stands for. */
  private static final List<String> CONSTRAINTS =
      List.of("json_schema", "regex", "ebnf", "structural_tag");

  private SglangParameters() {}

  /**
   * Fills the workload.
   *
   * @param request members of the request; one that a log level leaves out is absent
   * @param hash of prompts, if they may leave one
   */
  static void fill(EventDraft draft, SourceObject request, Optional<PromptHash> hash) {
    JsonNode prompt = request.any("text");
    if (prompt != null && prompt.isTextual() && hash.isPresent() && isWhole(prompt.textValue())) {
      draft.put("workload.prompt_hash", hash.get().of(prompt.textValue()));
    }
    List<String> adapters = request.texts("lora_path");
    draft.put("workload.adapters", adapters).put("scheduling.priority", request.whole("priority"));
    sampling(draft, request.object("sampling_params"));
  }

  /** A prompt that the log cut in the middle has the hash of no prompt. */
  static boolean isWhole(String prompt) {
    return !(prompt.length() >= 2048 && prompt.contains("..."));
  }

  private static void sampling(EventDraft draft, SourceObject sampling) {
    if (sampling.isAbsent()) {
      return;
    }
    draft
        .put("workload.sampling.temperature", sampling.number("temperature"))
        .put("workload.sampling.top_p", sampling.number("top_p"))
        .put("workload.sampling.top_k", sampling.whole("top_k"))
        .put("workload.sampling.repetition_penalty", sampling.number("repetition_penalty"))
        .put("workload.seed", sampling.whole("sampling_seed"));
    String mode =
        CONSTRAINTS.stream().filter(n -> sampling.any(n) != null).findFirst().orElse(null);
    if (mode != null) {
      draft
          .put("workload.constrained.mode", mode)
          .put("workload.constrained.schema_hash", hash(sampling.any(mode)));
    } else if (CONSTRAINTS.stream().anyMatch(sampling::has)) {
      draft.put("workload.constrained.mode", "off");
    }
  }

  private static @Nullable String hash(@Nullable JsonNode schema) {
    if (schema == null) {
      return null;
    }
    return Sha256.hex(schema.isTextual() ? schema.textValue() : schema.toString());
  }
}
