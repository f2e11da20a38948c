package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.PromptHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one forward of SGLang Diffusion. The list of ids is the batch; {@code
 * e2e_latency} is the pipeline's time of the whole batch, equal for all of it, the queue excluded.
 */
final class DiffusionRequests {
  private static final Pattern ERROR_CLASS =
      Pattern.compile("^([A-Za-z_.]{1,64}(?:Error|Exception))\\b");
  private static final int MOST_NEIGHBOURS = 256;

  private final AdapterSettings settings;
  private final Consumer<String> notes;

  DiffusionRequests(AdapterSettings settings, Consumer<String> notes) {
    this.settings = settings;
    this.notes = notes;
  }

  /** Whether the record is of a diffusion pipeline. */
  static boolean isOne(LogRecord record) {
    JsonNode first = record.obj() instanceof ArrayNode list ? list.path(0) : record.obj();
    JsonNode sampling = first.path("sampling_params");
    return record.ids().size() > 1
        || sampling.has("num_inference_steps")
        || sampling.has("data_type")
        || first.has("outputs");
  }

  /** A request with everything but id, time and configuration. */
  EventDraft draft(LogRecord record, int index) {
    EventDraft draft = EventDraft.request(settings).put("request_id", record.ids().get(index));
    draft.put("finished_at", record.at());
    outcome(draft, record);
    ObjectNode own = own(record.obj(), record.ids(), index);
    SourceObject request = SourceObject.of(own != null ? own : record.obj(), notes);
    SourceObject output = SourceObject.of(output(record.obj(), record.ids(), index), notes);
    SourceObject sampling = request.object("sampling_params");
    workload(draft, sampling);
    Long seed = output.whole("seed");
    draft.put("workload.seed", seed != null ? seed : sampling.whole("seed"));
    settings
        .promptHash()
        .ifPresent(
            hash -> {
              draft.put("workload.prompt_hash", hash("prompt", hash, output, request, sampling));
              draft.put(
                  "workload.negative_prompt_hash",
                  hash("negative_prompt", hash, output, request, sampling));
            });
    batch(draft, record.ids(), index);
    return draft;
  }

  private void outcome(EventDraft draft, LogRecord record) {
    SourceObject meta = SourceObject.of(record.meta(), notes);
    Double seconds = meta.number("e2e_latency");
    draft.put("latency_seconds", seconds).put("inference_seconds", seconds);
    JsonNode out = record.out();
    JsonNode error = out == null ? null : out.get("error");
    if (error == null || error.isNull() || (error.isTextual() && error.textValue().isEmpty())) {
      draft.put("status", "ok");
      return;
    }
    Matcher name = ERROR_CLASS.matcher(error.asText());
    draft.put("status", "error").put("error", name.find() ? name.group(1) : null);
  }

  private static void workload(EventDraft draft, SourceObject sampling) {
    String type = sampling.text("data_type");
    String modality = type == null ? null : modality(type);
    draft
        .put("workload.modality", modality)
        .put("workload.width", sampling.whole("width"))
        .put("workload.height", sampling.whole("height"))
        .put("workload.images", sampling.whole("num_outputs_per_prompt"))
        .put("workload.steps", sampling.whole("num_inference_steps"))
        .put("workload.guidance_scale", sampling.number("guidance_scale"));
    if (!"image".equals(modality)) {
      draft.put("workload.frames", sampling.whole("num_frames"));
    }
  }

  /** {@code IMAGE}, or as an enum member {@code DataType.IMAGE}. */
  private static @Nullable String modality(String type) {
    String word = type.substring(type.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return word.length() > 32 ? null : word;
  }

  private static @Nullable String hash(String member, PromptHash hash, SourceObject... places) {
    for (SourceObject place : places) {
      JsonNode prompt = place.any(member);
      if (prompt != null && prompt.isTextual() && SglangParameters.isWhole(prompt.textValue())) {
        return hash.of(prompt.textValue());
      }
    }
    return null;
  }

  private static void batch(EventDraft draft, List<String> ids, int index) {
    draft
        .put("batch.size_min", ids.size())
        .put("batch.size_mean", (double) ids.size())
        .put("batch.size_max", ids.size());
    List<String> neighbours = new ArrayList<>(ids);
    neighbours.remove(index);
    draft.put(
        "batch.neighbours", neighbours.subList(0, Math.min(MOST_NEIGHBOURS, neighbours.size())));
  }

  /** In a mixed batch each request has an object of its own. */
  private static @Nullable ObjectNode own(JsonNode obj, List<String> ids, int index) {
    return obj instanceof ArrayNode list ? matching(list, ids, index) : null;
  }

  private static @Nullable ObjectNode output(JsonNode obj, List<String> ids, int index) {
    return obj.get("outputs") instanceof ArrayNode list ? matching(list, ids, index) : null;
  }

  private static @Nullable ObjectNode matching(ArrayNode list, List<String> ids, int index) {
    for (JsonNode entry : list) {
      JsonNode id = entry.has("request_id") ? entry.get("request_id") : entry.get("rid");
      if (id != null && id.asText().equals(ids.get(index))) {
        return entry instanceof ObjectNode object ? object : null;
      }
    }
    boolean parallel = list.size() == ids.size();
    return parallel && list.get(index) instanceof ObjectNode object && !object.has("request_id")
        ? object
        : null;
  }
}
