package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.ReadLimits;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the configuration in a text of any of the kinds that can be captured: a {@code config}
 * record of the contract, an answer of {@code /server_info}, manifests, a log with the line in
 * which the runtime tells its arguments (the last such line counts). Stateless, thread-safe.
 */
public final class CaptureText {
  private CaptureText() {}

  /**
   * Captures from a text.
   *
   * @return null when it holds no configuration
   */
  public static @Nullable Captured of(String text) {
    String stripped = text.strip();
    Captured captured = stripped.startsWith("{") ? ofJson(stripped) : ManifestCapture.of(stripped);
    if (captured == null) {
      for (String line : stripped.split("\n", -1)) {
        Captured found = ConfigCapture.ofLogLine(line);
        captured = found == null ? captured : found;
      }
    }
    return captured == null || !saysSomething(captured) ? null : captured;
  }

  /** More than a guessed name of the runtime and members that nothing is known of. */
  private static boolean saysSomething(Captured captured) {
    ObjectNode config = captured.config().deepCopy();
    config.remove("reported");
    JsonNode runtime = config.get("runtime");
    if (runtime instanceof ObjectNode known && known.size() == 1 && known.has("name")) {
      config.remove("runtime");
    }
    return !config.isEmpty() || !captured.model().isEmpty();
  }

  private static @Nullable Captured ofJson(String text) {
    try {
      JsonNode node = new EventReader(new ReadLimits(4 << 20, 64)).strictJson().readTree(text);
      if (!(node instanceof ObjectNode object)) {
        return null;
      }
      if (object.has("kind") && object.has("apiVersion")) {
        return ManifestCapture.of(text);
      }
      return object.get("config") instanceof ObjectNode || object.get("model") instanceof ObjectNode
          ? ConfigBuilder.of(member(object, "config"), member(object, "model"))
          : ConfigCapture.ofServerInfo(object);
    } catch (IOException e) {
      return null;
    }
  }

  private static ObjectNode member(ObjectNode object, String name) {
    return object.get(name) instanceof ObjectNode member
        ? member
        : JsonNodeFactory.instance.objectNode();
  }
}
