package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.ingest.capture.ConfigCapture;

/** What a serving runtime answers when it is asked what it runs, in the form of this product. */
final class RuntimeAnswer {
  private RuntimeAnswer() {}

  /**
   * An object with {@code config} and {@code model}. Runtimes answer in their own form and are read
   * as {@code import} and {@code gateway} read them, so that one system has one fingerprint; an
   * answer that has the objects already, or of which nothing is known, stays as it is. A runtime
   * that does not say its model says its configuration all the same; a name or version alone is
   * none.
   */
  static JsonNode objects(JsonNode answer) {
    if (!(answer instanceof ObjectNode object) || object.path("config").isObject()) {
      return answer;
    }
    Captured captured = ConfigCapture.ofServerInfo(object);
    ObjectNode beside = captured.config().deepCopy();
    beside.remove("runtime");
    if (captured.isEmpty() || (captured.model().isEmpty() && beside.isEmpty())) {
      return answer;
    }
    ObjectNode objects = object.deepCopy();
    objects.set("config", captured.config());
    if (!captured.model().isEmpty()) {
      objects.set("model", captured.model());
    }
    return objects;
  }
}
