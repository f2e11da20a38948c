package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.pane.SeriesKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A finding in its last form, how it came to it, and its cells. Not thread-safe. */
final class FindingRecord {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final ArrayNode history = JSON.arrayNode();
  private @Nullable OnsetView onsetView;
  private JsonNode body;
  private ObjectNode cells;

  FindingRecord(JsonNode body, Instant decided, ObjectNode cells) {
    this.body = body;
    this.cells = cells;
    remember(decided);
  }

  /**
   * The next version.
   *
   * @param newCells what the cells were then
   */
  void next(JsonNode newBody, Instant decided, ObjectNode newCells) {
    body = newBody;
    // A finding that closes says nothing about where it was: its last cells while open stay.
    if (body.path("state").asText().equals("open")) {
      cells = newCells;
    }
    remember(decided);
  }

  private void remember(Instant decided) {
    ObjectNode version = history.addObject();
    version.put("at", decided.toString());
    version.put("state", body.path("state").asText());
    version.put("severity", body.path("severity").asText());
    version.put("cause", body.at("/verdict/cause").asText());
    JsonNode confidence = body.at("/verdict/confidence");
    if (confidence.isNumber()) {
      version.set("confidence", confidence);
    }
  }

  /** Whether it is about this series. */
  boolean isAbout(SeriesKey key) {
    return key.deployment().equals(body.path("deployment").asText())
        && key.metric().equals(body.path("metric").asText())
        && key.configId().equals(body.path("config_id").asText())
        && key.modelId().equals(body.path("model_id").asText());
  }

  /** The windows around its onset. */
  FindingRecord around(@Nullable OnsetView view) {
    onsetView = view;
    return this;
  }

  @Nullable OnsetView onsetView() {
    return onsetView;
  }

  JsonNode body() {
    return body;
  }

  /** For the document. */
  ObjectNode describe(OutputLinks links) {
    ObjectNode node = JSON.objectNode();
    node.set("finding", body);
    node.set("history", history);
    node.setAll(cells);
    ArrayNode outputs = node.putArray("outputs");
    for (JsonNode exemplar : body.path("exemplars")) {
      String id = exemplar.path("request_id").asText();
      links.link(id).ifPresent(link -> outputs.addObject().put("request_id", id).put("url", link));
    }
    return node;
  }
}
