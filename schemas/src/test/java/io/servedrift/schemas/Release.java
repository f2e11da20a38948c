package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Writes what a release leaves behind, when asked for with {@code -Dschemas.release=VERSION}: its
 * schemas into the history, its bytes into the golden files. A version that was published is never
 * written again.
 */
final class Release {
  private static final String VERSION = System.getProperty("schemas.release");

  private Release() {}

  static void writeIfAsked() {
    if (VERSION == null) {
      return;
    }
    try {
      Path history = Path.of("src/main/resources/avro-history");
      Path schemas = Files.createDirectories(history.resolve(VERSION));
      Path golden = Files.createDirectories(Path.of("src/test/resources/golden", VERSION));
      Path index = history.resolve("index.txt");
      TreeSet<String> lines = new TreeSet<>(Files.readAllLines(index));
      for (EventType type : EventType.values()) {
        Files.writeString(
            schemas.resolve(type.schema().getName() + ".avsc"),
            current(type).toPrettyString() + "\n");
        lines.add(VERSION + "/" + type.schema().getName() + ".avsc");
        List<String> samples = new ArrayList<>();
        samples.add(GoldenBytesTest.line(Samples.full(type)));
        samples.add(GoldenBytesTest.line(Samples.small(type)));
        Files.write(golden.resolve(type.word() + ".txt"), samples);
      }
      Files.write(index, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The full schema, self-contained, without what only concerns generated Java. */
  static JsonNode current(EventType type) {
    JsonNode json = StrictJson.trusted(type.schema().toString());
    strip(json);
    return json;
  }

  private static void strip(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object.remove("avro.java.string");
      for (var e : List.copyOf(object.properties())) {
        JsonNode value = e.getValue();
        if (value instanceof ObjectNode inner) {
          inner.remove("avro.java.string");
          if (inner.size() == 1 && inner.path("type").textValue() != null) {
            object.set(e.getKey(), inner.get("type"));
            continue;
          }
        }
        strip(value);
      }
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        if (node.get(i) instanceof ObjectNode inner) {
          inner.remove("avro.java.string");
          if (inner.size() == 1 && inner.path("type").textValue() != null) {
            ((com.fasterxml.jackson.databind.node.ArrayNode) node).set(i, inner.get("type"));
            continue;
          }
        }
        strip(node.get(i));
      }
    }
  }
}
