package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Base64;

/** A scorer that answers as the product's own does, {@code POST /v1/scores}. Thread-safe. */
public final class TestScorer extends LocalServer {
  private TestScorer() {
    on("/v1/scores", TestScorer::scores);
  }

  /** Starts it. */
  public static TestScorer started() {
    TestScorer scorer = new TestScorer();
    scorer.start();
    return scorer;
  }

  private static JsonNode scores(JsonNode body) throws IOException {
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode results = answer.putArray("results");
    for (JsonNode item : body.path("items")) {
      byte[] png = Base64.getDecoder().decode(item.path("image").asText());
      ObjectNode result = results.addObject();
      result.putObject("scores").put("clip", Drawing.score(item.path("prompt").asText(), png));
      result.putObject("scorers").put("clip", "drawing@1");
      ArrayNode embedding = result.putArray("embedding");
      for (double value : Drawing.embedding(png)) {
        embedding.add(value);
      }
    }
    return answer;
  }
}
