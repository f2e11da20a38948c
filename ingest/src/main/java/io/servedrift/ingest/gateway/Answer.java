package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime says in its answer: one JSON document, or the events of a stream one after the
 * other, in the shapes of the OpenAI API as SGLang and vLLM extend it and of SGLang's {@code
 * /generate}. What it does not say stays absent. Of several choices the first counts. One thread at
 * a time.
 */
final class Answer {

  private static final int MAX_TEXT = 1 << 20;

  private static final int COMPARED = 256;

  /** Enough to tell one from several; a stream may bring any number. */
  private static final int KEPT_IMAGES = 2;

  private final StringBuilder text = new StringBuilder();
  private final List<String> images = new ArrayList<>();
  private @Nullable JsonNode last;
  private @Nullable String id;
  private @Nullable String model;
  private @Nullable String finishReason;
  private @Nullable String state;
  private boolean hasText;
  private boolean textCut;
  private boolean toldError;
  private final Numbers numbers = new Numbers();

  /** Numbers of the answer; absent ones are null. */
  static final class Numbers {
    @Nullable Long promptTokens;
    @Nullable Long outputTokens;
    @Nullable Long cachedTokens;
    @Nullable Long deviceTokens;
    @Nullable Long hostTokens;
    @Nullable Long storageTokens;
    @Nullable Long running;
    @Nullable Long waiting;
    @Nullable Long preemptions;
    @Nullable Double queueSeconds;
    @Nullable Double inferenceSeconds;

    /** Of a queued video, seconds since 1970. */
    @Nullable Double createdAt;

    @Nullable Double completedAt;
  }

  /**
   * Reads a document.
   *
   * @return whether it brought content: text, a tool call, an image
   */
  boolean read(JsonNode document) {
    JsonNode object = document.isArray() && document.size() > 0 ? document.get(0) : document;
    if (!object.isObject()) {
      return false;
    }
    last = object;
    id = first(text(object, "id"), id);
    model = first(text(object, "model"), model);
    state = first(text(object, "status"), state);
    toldError |= object.path("error").isObject() || object.path("error").isTextual();
    numbers.inferenceSeconds = first(real(object, "inference_time_s"), numbers.inferenceSeconds);
    numbers.createdAt = first(real(object, "created_at"), numbers.createdAt);
    numbers.completedAt = first(real(object, "completed_at"), numbers.completedAt);
    usage(object.path("usage"));
    metaInfo(object.path("meta_info"));
    Double queued = real(object.path("metrics"), "queue_time_ms");
    numbers.queueSeconds = first(queued == null ? null : queued / 1e3, numbers.queueSeconds);
    boolean content = cumulative(object.path("text"));
    content |= choice(object.path("choices").path(0));
    content |= data(object.path("data"));
    return content;
  }

  private void usage(JsonNode usage) {
    numbers.promptTokens = first(whole(usage, "prompt_tokens"), numbers.promptTokens);
    numbers.outputTokens = first(whole(usage, "completion_tokens"), numbers.outputTokens);
    numbers.cachedTokens =
        first(whole(usage.path("prompt_tokens_details"), "cached_tokens"), numbers.cachedTokens);
  }

  private void metaInfo(JsonNode meta) {
    id = first(text(meta, "id"), id);
    finishReason(meta.path("finish_reason"));
    numbers.promptTokens = first(whole(meta, "prompt_tokens"), numbers.promptTokens);
    numbers.outputTokens = first(whole(meta, "completion_tokens"), numbers.outputTokens);
    numbers.cachedTokens = first(whole(meta, "cached_tokens"), numbers.cachedTokens);
    tiers(meta.path("cached_tokens_details"));
    numbers.running = first(whole(meta, "num_running_reqs"), numbers.running);
    numbers.waiting = first(whole(meta, "num_waiting_reqs"), numbers.waiting);
    numbers.preemptions = first(whole(meta, "num_retractions"), numbers.preemptions);
    numbers.queueSeconds = first(real(meta, "queue_time"), numbers.queueSeconds);
    numbers.inferenceSeconds = first(real(meta, "inference_time"), numbers.inferenceSeconds);
  }

  private void tiers(JsonNode details) {
    numbers.deviceTokens = first(whole(details, "device"), numbers.deviceTokens);
    numbers.hostTokens = first(whole(details, "host"), numbers.hostTokens);
    numbers.storageTokens = first(whole(details, "storage"), numbers.storageTokens);
  }

  /** SGLang streams the whole text so far, unless it was started with {@code --stream-output}. */
  private boolean cumulative(JsonNode node) {
    if (!node.isTextual() || node.textValue().isEmpty()) {
      return false;
    }
    String part = node.textValue();
    if (goesOn(part)) {
      text.setLength(0);
    }
    append(part);
    return true;
  }

  /**
   * Whether a part holds the text so far and more. Looks where the text so far ends: looking at all
   * of it with every event would cost the square of its length.
   */
  private boolean goesOn(String part) {
    int end = text.length();
    if (end == 0 || part.length() <= end) {
      return false;
    }
    for (int i = Math.max(0, end - COMPARED); i < end; i++) {
      if (part.charAt(i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Keeps no text any more. */
  void forgetText() {
    text.setLength(0);
    text.trimToSize();
  }

  /** Characters of text held. */
  int held() {
    return text.capacity();
  }

  private boolean choice(JsonNode choice) {
    finishReason(choice.path("finish_reason"));
    tiers(choice.path("sglext").path("cached_tokens_details"));
    JsonNode message = choice.path(choice.has("delta") ? "delta" : "message");
    boolean content = false;
    for (JsonNode part : List.of(choice.path("text"), message.path("content"))) {
      if (part.isTextual() && !part.textValue().isEmpty()) {
        append(part.textValue());
        content = true;
      }
    }
    String reasoning = text(message, "reasoning_content");
    return content
        || (reasoning != null && !reasoning.isEmpty())
        || message.path("tool_calls").size() > 0;
  }

  private void append(String part) {
    hasText = true;
    int room = MAX_TEXT - text.length();
    text.append(part, 0, Math.min(room, part.length()));
    textCut |= part.length() > room;
  }

  private boolean data(JsonNode data) {
    for (JsonNode item : data) {
      String image = text(item, "b64_json");
      if (image != null && images.size() < KEPT_IMAGES) {
        images.add(image);
      }
    }
    return data.size() > 0;
  }

  /** A word in the OpenAI API, an object with the word as {@code type} in SGLang's own. */
  private void finishReason(JsonNode node) {
    JsonNode word = node.isObject() ? node.path("type") : node;
    if (word.isTextual()) {
      finishReason = word.textValue();
    }
  }

  /** The runtime's name of the request. */
  @Nullable String id() {
    return id;
  }

  /** The model that answered. */
  @Nullable String model() {
    return model;
  }

  /** Why it ended: stop, length, abort, ... */
  @Nullable String finishReason() {
    return finishReason;
  }

  /** The state of an asynchronous job: queued, completed, ... */
  @Nullable String state() {
    return state;
  }

  /** The numbers. */
  Numbers numbers() {
    return numbers;
  }

  /** Whether the answer, or an event within it, says that it failed. */
  boolean tellsError() {
    return toldError;
  }

  /** The text of the first choice, null when there was none or it was too long to keep. */
  @Nullable String text() {
    return hasText && !textCut ? text.toString() : null;
  }

  /** Images in base64, the first two at most. */
  List<String> images() {
    return images;
  }

  /** How many images the answer holds or links to, null when it says nothing of images. */
  @Nullable Integer imageCount() {
    JsonNode data = last == null ? null : last.get("data");
    return data == null || !data.isArray() ? null : data.size();
  }

  private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
    return one != null ? one : other;
  }

  private static @Nullable String text(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isTextual() ? value.textValue() : null;
  }

  private static @Nullable Long whole(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0
        ? value.longValue()
        : null;
  }

  private static @Nullable Double real(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isNumber() && Double.isFinite(value.doubleValue()) && value.doubleValue() >= 0
        ? value.doubleValue()
        : null;
  }
}
