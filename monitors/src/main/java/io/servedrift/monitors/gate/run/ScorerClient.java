package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Speaks to this project's scorer, {@code POST /v1/scores}. Thread-safe. */
final class ScorerClient {
  /** Of one post, as the scorer allows it. */
  private static final int MOST_ITEMS = 16;

  /** Of the images of one post in base64; the scorer takes bodies up to 16 MiB. */
  private static final long MOST_CHARACTERS = 12L << 20;

  private final Caller caller;

  ScorerClient(Caller caller) {
    this.caller = caller;
  }

  /** An image with the prompt it was made for. */
  @SuppressWarnings("ArrayRecordComponent")
  record Item(String prompt, byte[] image) {}

  /**
   * Scores images, in order; null for those that got no scores.
   *
   * @param problems takes why
   */
  List<@Nullable Embedded> score(List<Item> items, List<String> problems) {
    List<@Nullable Embedded> all = new ArrayList<>();
    List<ObjectNode> batch = new ArrayList<>();
    long characters = 0;
    for (Item item : items) {
      String image = Base64.getEncoder().encodeToString(item.image());
      if (batch.size() == MOST_ITEMS
          || (!batch.isEmpty() && characters + image.length() > MOST_CHARACTERS)) {
        all.addAll(post(batch, problems));
        batch = new ArrayList<>();
        characters = 0;
      }
      characters += image.length();
      batch.add(
          JsonNodeFactory.instance.objectNode().put("prompt", item.prompt()).put("image", image));
    }
    if (!batch.isEmpty()) {
      all.addAll(post(batch, problems));
    }
    return all;
  }

  private List<@Nullable Embedded> post(List<ObjectNode> batch, List<String> problems) {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("embedding", true);
    ArrayNode items = body.putArray("items");
    batch.forEach(items::add);
    Reply reply =
        caller
            .send(new Call("/v1/scores", body.toString().getBytes(StandardCharsets.UTF_8), null))
            .join();
    JsonNode answer = reply.ok() ? StrictBody.object(reply.body()) : null;
    JsonNode results = answer == null ? null : answer.get("results");
    List<@Nullable Embedded> scored = new ArrayList<>();
    if (results == null || results.size() != batch.size()) {
      String why = reply.error() == null ? "results do not match what was posted" : reply.error();
      problems.add("scorer: " + why);
      batch.forEach(one -> scored.add(null));
      return scored;
    }
    results.forEach(result -> scored.add(embedded(result)));
    return scored;
  }

  private static Embedded embedded(JsonNode result) {
    Map<String, Double> scores = new TreeMap<>();
    Map<String, String> scorers = new TreeMap<>();
    for (Map.Entry<String, JsonNode> score : result.path("scores").properties()) {
      Double value = StrictBody.number(score.getValue());
      String scorer = result.path("scorers").path(score.getKey()).asText();
      if (value != null) {
        scores.put(score.getKey(), value);
        scorers.put(score.getKey(), scorer.isEmpty() ? "unknown" : scorer);
      }
    }
    JsonNode given = result.path("embedding");
    float[] embedding = new float[given.size()];
    for (int i = 0; i < embedding.length; i++) {
      embedding[i] = given.get(i).floatValue();
    }
    return new Embedded(scores, scorers, embedding);
  }
}
