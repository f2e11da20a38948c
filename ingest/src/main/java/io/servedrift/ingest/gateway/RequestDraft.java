package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of one {@code request} event. What the runtime does not say is not written; what
 * contradicts itself is left out and counted. One thread at a time.
 */
final class RequestDraft {

  private static final List<String> BARE =
      List.of(
          "type",
          "request_id",
          "deployment",
          "node",
          "arrived_at",
          "finished_at",
          "status",
          "latency_seconds",
          "error");

  private final Route route;
  private final Instant arrivedAt;
  private final ObjectNode node = JsonNodeFactory.instance.objectNode();
  private int leftOut;

  RequestDraft(GatewaySettings settings, Route route, Instant arrivedAt, String id) {
    this.route = route;
    this.arrivedAt = arrivedAt;
    node.put("type", "request")
        .put("request_id", id)
        .put("deployment", settings.deployment())
        .put("node", settings.node())
        .put("arrived_at", micros(arrivedAt).toString());
  }

  /**
   * Adds how it ended.
   *
   * @param seconds from its arrival until its end was known
   * @param latency how long it took; null when nobody can say
   */
  void ended(Verdict verdict, double seconds, @Nullable Double latency) {
    Instant finished = arrivedAt.plus(Duration.ofNanos((long) (seconds * 1e9)));
    node.put("finished_at", micros(finished).toString()).put("status", verdict.status());
    put(node, "latency_seconds", latency);
    put(node, "error", verdict.error());
  }

  private static Instant micros(Instant time) {
    return time.truncatedTo(ChronoUnit.MICROS);
  }

  /** Adds what was asked. */
  void asked(ObjectNode workload) {
    node.set("workload", workload);
  }

  /** Adds how many measured requests were under way here. */
  void underWay(int running) {
    node.putObject("batch").put("running", running);
  }

  /** Adds the time to the first token, seconds; nothing is added for null. */
  void firstToken(@Nullable Double seconds) {
    put(node, "time_to_first_token_seconds", seconds);
  }

  /**
   * Adds of what it was asked.
   *
   * @param name the model's name in question or answer, used where nothing else is known
   */
  void servedBy(@Nullable String name, ServingIdentity.@Nullable Known known) {
    if (known != null && !known.config().isEmpty()) {
      node.set("config", known.config().deepCopy());
    }
    ObjectNode model = known == null ? JsonNodeFactory.instance.objectNode() : known.model();
    if (!model.isEmpty()) {
      node.set("model", model.deepCopy());
    } else if (name != null) {
      node.putObject("model").put("name", name);
    }
  }

  /** Adds what was answered. */
  void answered(Answer answer) {
    Answer.Numbers numbers = answer.numbers();
    ObjectNode workload = node.withObjectProperty("workload");
    put(node, "finish_reason", answer.finishReason());
    put(node, "queue_seconds", numbers.queueSeconds);
    put(node, "inference_seconds", numbers.inferenceSeconds);
    put(workload, "prompt_tokens", numbers.promptTokens);
    put(workload, "output_tokens", numbers.outputTokens);
    if (answer.imageCount() != null && route == Route.IMAGES) {
      workload.put("images", answer.imageCount());
    }
    if (numbers.running != null || numbers.waiting != null) {
      ObjectNode batch = node.withObjectProperty("batch");
      put(batch, "running", numbers.running);
      put(batch, "waiting", numbers.waiting);
    }
    if (numbers.preemptions != null) {
      node.putObject("scheduling").put("preemptions", numbers.preemptions);
    }
    cache(numbers);
    if (answer.images().size() == 1) {
      output(answer.images().get(0));
    }
  }

  private void output(String image) {
    try {
      byte[] bytes = Base64.getDecoder().decode(image);
      node.putObject("output")
          .put("sha256", CanonicalText.sha256(bytes))
          .put("bytes", bytes.length);
    } catch (IllegalArgumentException notBase64) {
      leftOut++;
    }
  }

  /** Hits above the prompt's own length are a known fault of runtimes: then nothing is believed. */
  private void cache(Answer.Numbers numbers) {
    Long cached = numbers.cachedTokens;
    if (cached == null) {
      return;
    }
    if (numbers.promptTokens != null && cached > numbers.promptTokens) {
      leftOut++;
      return;
    }
    ObjectNode cache = node.putObject("cache").put("hit", cached > 0);
    if (numbers.deviceTokens != null
        || numbers.hostTokens != null
        || numbers.storageTokens != null) {
      ObjectNode prefix = cache.putObject("prefix");
      put(prefix, "device_tokens", numbers.deviceTokens);
      put(prefix, "host_tokens", numbers.hostTokens);
      put(prefix, "storage_tokens", numbers.storageTokens);
    }
  }

  /** Adds scores of one scorer. */
  void scores(Map<String, Double> scores, String scorer) {
    if (scores.isEmpty()) {
      return;
    }
    ObjectNode values = node.withObjectProperty("scores");
    ObjectNode scorers = node.withObjectProperty("scorers");
    scores.forEach(
        (name, value) -> {
          values.put(name, value);
          scorers.put(name, scorer);
        });
  }

  private static void put(ObjectNode into, String name, @Nullable String value) {
    if (value != null) {
      into.put(name, value);
    }
  }

  private static void put(ObjectNode into, String name, @Nullable Long value) {
    if (value != null) {
      into.put(name, value);
    }
  }

  private static void put(ObjectNode into, String name, @Nullable Double value) {
    if (value != null) {
      into.put(name, value);
    }
  }

  /** The event. */
  ObjectNode node() {
    return node;
  }

  /** The event with nothing but identity, times and status. */
  ObjectNode bare() {
    return node.deepCopy().retain(BARE);
  }

  /** Values that contradicted each other. */
  int leftOut() {
    return leftOut;
  }
}
