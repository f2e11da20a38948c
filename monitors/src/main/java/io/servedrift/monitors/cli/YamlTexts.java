package io.servedrift.monitors.cli;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Members of a configuration that are texts wherever they come from, and that YAML takes for
 * numbers when nobody quotes them: the version {@code 2.10} is not {@code 2.1}.
 */
final class YamlTexts {
  private static final Pattern TEXTS =
      Pattern.compile(
          "(/config)?/(runtime|orchestrator)/(name|version)"
              + "|(/config)?/runtime/libraries/[^/]+"
              + "|(/config)?/hardware/gpu"
              + "|(/config)?/constrained_decoding/schema_hash"
              + "|(/model)?/(name|revision|weights_digest)");

  private static final YAMLFactory YAML = new YAMLFactory();

  private YamlTexts() {}

  /**
   * Puts such members back as they were written.
   *
   * @param root what was read; changed
   * @param content from what
   * @return {@code root}
   */
  static JsonNode asTexts(JsonNode root, byte[] content) throws IOException {
    try (JsonParser parser = YAML.createParser(content)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (!token.isNumeric() && !token.isBoolean()) {
          continue;
        }
        var pointer = parser.getParsingContext().pathAsPointer();
        if (TEXTS.matcher(pointer.toString()).matches()
            && root.at(pointer.head()) instanceof ObjectNode parent) {
          parent.put(pointer.last().getMatchingProperty(), parser.getText());
        }
      }
    }
    return root;
  }
}
