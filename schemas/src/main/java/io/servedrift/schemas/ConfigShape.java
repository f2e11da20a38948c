package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Whether the objects of a configuration or model stand where the named leaves need them. A {@code
 * "runtime":"sglang"} would count for nothing, and every request with it would be of the
 * configuration {@code unknown}, without a word.
 */
final class ConfigShape {
  private ConfigShape() {}

  /**
   * Members that must be objects and are something else.
   *
   * @return what each must be, by its path
   */
  static SortedMap<String, String> misshapen(JsonNode object, boolean model) {
    SortedMap<String, String> found = new TreeMap<>();
    for (Map.Entry<String, SortedSet<String>> axis :
        ConfigFingerprint.membersByAxis(model).entrySet()) {
      JsonNode node = object.at("/" + axis.getKey().replace('.', '/'));
      if (!node.isMissingNode() && !node.isNull() && !node.isObject()) {
        found.put(
            axis.getKey(), "an object with members such as " + String.join(", ", axis.getValue()));
      }
    }
    return found;
  }

  /**
   * Names everything in it that has a value, as a path that starts with the member: empty objects
   * and nulls say nothing.
   */
  static void leaves(JsonNode node, String path, Consumer<String> into) {
    if (!node.isObject()) {
      if (!node.isNull()) {
        into.accept(path);
      }
      return;
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      leaves(member.getValue(), path + "." + Sensitive.shownName(member.getKey()), into);
    }
  }
}
