package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A place in a JSON document: names and indices with dots between them, {@code
 * results.geneval.overall} or {@code runs.0.score}; {@code \.} is a dot within a name. Immutable.
 */
public final class JsonPath {
  private static final int LONGEST = 512;

  private final String text;
  private final List<String> steps;

  private JsonPath(String text, List<String> steps) {
    this.text = text;
    this.steps = List.copyOf(steps);
  }

  /**
   * Reads a path.
   *
   * @throws IllegalArgumentException when a step of it is empty or it is too long
   */
  public static JsonPath parse(String text) {
    List<String> steps = new ArrayList<>();
    StringBuilder step = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length() && text.charAt(i + 1) == '.') {
        step.append('.');
        i++;
      } else if (c == '.') {
        steps.add(step.toString());
        step.setLength(0);
      } else {
        step.append(c);
      }
    }
    steps.add(step.toString());
    if (text.length() > LONGEST || steps.contains("")) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "': must be names with dots between them, at most "
              + LONGEST
              + " characters");
    }
    return new JsonPath(text, steps);
  }

  /**
   * The number that stands there.
   *
   * @throws IllegalArgumentException when there is none; says how far the path leads
   */
  public double number(JsonNode document) {
    JsonNode node = find(document);
    if (!node.isNumber() || !Double.isFinite(node.doubleValue())) {
      throw new IllegalArgumentException(text + ": must be a number, is " + kind(node));
    }
    return node.doubleValue();
  }

  private JsonNode find(JsonNode document) {
    JsonNode node = document;
    for (String step : steps) {
      JsonNode next =
          node.isArray() && step.matches("\\d{1,9}")
              ? node.path(Integer.parseInt(step))
              : node.path(step);
      if (next.isMissingNode()) {
        throw new IllegalArgumentException(text + ": no '" + step + "' there; " + members(node));
      }
      node = next;
    }
    return node;
  }

  private static String members(JsonNode node) {
    if (!node.isObject() || node.isEmpty()) {
      return "it is " + kind(node);
    }
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    String shown = String.join(", ", names.subList(0, Math.min(12, names.size())));
    return "there are " + shown + (names.size() > 12 ? ", ..." : "");
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case OBJECT -> "an object";
      case STRING -> "a text";
      case BOOLEAN -> "true or false";
      case NUMBER -> "not finite";
      default -> "null";
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
