package io.servedrift.monitors.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** The JSON documents commands print with {@code --json}. */
final class JsonOutput {

  /** Rises when a document changes so that an old reader would misread it. */
  private static final int SCHEMA_VERSION = 1;

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private JsonOutput() {}

  /** An empty document that only says its version. */
  static ObjectNode document() {
    return MAPPER.createObjectNode().put("schema_version", SCHEMA_VERSION);
  }

  /** An empty object, for parts of a document. */
  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Reads one document, null when the text is none. */
  static @Nullable JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /** Prints one readable document. */
  static void print(JsonNode document, PrintWriter out) {
    try {
      out.println(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(document));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain nodes cannot fail to print", e);
    }
  }

  /** Prints one line of NDJSON. */
  static void printLine(JsonNode item, PrintWriter out) {
    out.println(item);
  }
}
