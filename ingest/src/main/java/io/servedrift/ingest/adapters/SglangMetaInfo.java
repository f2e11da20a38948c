package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What SGLang tells of a finished request, wherever it tells it: {@code meta_info} of a response,
 * of the request log and, flattened, of {@code --export-metrics-to-file}. Timing members exist only
 * with {@code --enable-metrics}; an abort carries little more than its reason.
 */
final class SglangMetaInfo {
  static final String TOO_MANY_CACHED =
      "cached tokens above prompt tokens: their counts are left out";
  static final String NO_WALL_CLOCK = "times that are none of a wall clock: left out";

  private final SourceObject meta;
  private final Consumer<String> notes;

  SglangMetaInfo(SourceObject meta, Consumer<String> notes) {
    this.meta = meta;
    this.notes = notes;
  }

  /** Fills everything but the times of arrival and end. */
  void fill(EventDraft draft) {
    draft
        .put("request_id", meta.text("id"))
        .put("latency_seconds", meta.number("e2e_latency"))
        .put("queue_seconds", meta.number("queue_time"))
        .put("inference_seconds", meta.number("inference_time"))
        .put("time_to_first_token_seconds", meta.number("ttft"))
        .put("workload.modality", "text")
        .put("workload.prompt_tokens", meta.whole("prompt_tokens"))
        .put("workload.output_tokens", meta.whole("completion_tokens"))
        .put("batch.running", meta.whole("num_running_reqs"))
        .put("batch.waiting", meta.whole("num_waiting_reqs"))
        .put("scheduling.preemptions", meta.whole("num_retractions"))
        .put("model.extra.weight_version", weightVersion());
    outcome(draft);
    stages(draft);
    cache(draft);
  }

  /** When the request came, null when that was not told. */
  @Nullable Instant arrived() {
    return time("request_received_ts");
  }

  /** When it was finished, null when that was not told. */
  @Nullable Instant finished() {
    Instant finished = time("request_finished_ts");
    return finished != null ? finished : time("response_sent_to_client_ts");
  }

  private @Nullable Instant time(String name) {
    Double seconds = meta.number(name);
    Instant at = SourceTimes.epochSeconds(seconds);
    if (seconds != null && at == null) {
      notes.accept(NO_WALL_CLOCK);
    }
    return at;
  }

  /** {@code default} says only that nobody named one. */
  private @Nullable String weightVersion() {
    String version = meta.text("weight_version");
    return "default".equals(version) ? null : version;
  }

  /** Whether the request was broken off. */
  boolean isAbort() {
    JsonNode reason = meta.any("finish_reason");
    return reason != null && "abort".equals(reason.path("type").asText(reason.asText()));
  }

  private void outcome(EventDraft draft) {
    JsonNode reason = meta.any("finish_reason");
    if (reason == null || reason.isTextual()) {
      String word = meta.text("finish_reason");
      draft.put("finish_reason", word).put("status", "abort".equals(word) ? "cancelled" : "ok");
      return;
    }
    SourceObject details = meta.object("finish_reason");
    String type = details.text("type");
    draft.put("finish_reason", type);
    if (!"abort".equals(type)) {
      draft.put("status", "ok");
      return;
    }
    Long code = details.whole("status_code");
    String message = details.text("message");
    if (message != null && isTimeout(message)) {
      draft.put("status", "timeout");
    } else {
      draft.put("status", code != null ? "error" : "cancelled");
    }
    draft.put("error", code == null ? null : "abort " + code);
  }

  private static boolean isTimeout(String message) {
    String lower = message.toLowerCase(Locale.ROOT);
    return lower.contains("timeout") || lower.contains("timed out");
  }

  private void stages(EventDraft draft) {
    Double start = meta.number("forward_entry_time");
    Double prefilled = first("prefill_finished_time", "prefill_finished_ts");
    Double end = first("request_finished_ts", "decode_finished_ts");
    draft.put("stage_seconds.prefill", span(start, prefilled));
    draft.put("stage_seconds.decode", span(prefilled, end));
  }

  private @Nullable Double first(String name, String otherwise) {
    Double value = meta.number(name);
    return value != null ? value : meta.number(otherwise);
  }

  /** Both from one clock, else nothing: 0 stands for never in some releases. */
  private static @Nullable Double span(@Nullable Double from, @Nullable Double to) {
    if (from == null || to == null || from <= 0 || to < from || to - from > 86_400) {
      return null;
    }
    return Math.rint((to - from) * 1e6) / 1e6;
  }

  private void cache(EventDraft draft) {
    Long cached = meta.whole("cached_tokens");
    Long prompt = meta.whole("prompt_tokens");
    SourceObject tiers = meta.object("cached_tokens_details");
    Long device = tiers.whole("device");
    Long host = tiers.whole("host");
    Long storage = tiers.whole("storage");
    long told = Math.max(orZero(cached), orZero(device) + orZero(host) + orZero(storage));
    if (cached != null || !tiers.isAbsent()) {
      draft.put("cache.hit", told > 0);
    }
    if (prompt != null && told > prompt) {
      notes.accept(TOO_MANY_CACHED);
      return;
    }
    draft
        .put("cache.prefix.device_tokens", device)
        .put("cache.prefix.host_tokens", host)
        .put("cache.prefix.storage_tokens", storage);
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : Math.max(0, Math.min(value, 1L << 40));
  }
}
