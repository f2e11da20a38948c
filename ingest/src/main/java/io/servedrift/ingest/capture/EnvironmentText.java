package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The variables of an environment, as {@code env} prints them or an env file holds them ({@code
 * NAME=VALUE} lines, with {@code export}, quotes and comments, each value on one line), or as JSON:
 * one object, a list of {@code {"name":..,"value":..}} as in manifests, or of {@code "NAME=VALUE"}
 * as containers tell them. Pure.
 */
final class EnvironmentText {
  private static final Pattern LINE =
      Pattern.compile("\\s*(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)");
  private static final Pattern CONSTANT = Pattern.compile("[A-Z][A-Z0-9_]+");

  private EnvironmentText() {}

  /** The variables in lines; null when a line is no assignment, comment or blank. */
  static @Nullable Map<String, String> ofLines(String text) {
    Map<String, String> variables = new TreeMap<>();
    for (String line : text.split("\\R", -1)) {
      Matcher assignment = LINE.matcher(line);
      if (assignment.matches()) {
        variables.put(assignment.group(1), unquoted(assignment.group(2).strip()));
      } else if (!line.isBlank() && !line.stripLeading().startsWith("#")) {
        return null;
      }
    }
    return variables.isEmpty() ? null : variables;
  }

  private static String unquoted(String value) {
    boolean quoted =
        value.length() >= 2
            && (value.startsWith("\"") || value.startsWith("'"))
            && value.charAt(value.length() - 1) == value.charAt(0);
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  /** The variables in JSON; null when it is something else. */
  static @Nullable Map<String, String> ofJson(JsonNode node) {
    Map<String, String> variables = new TreeMap<>();
    boolean all =
        node instanceof ObjectNode object
            ? ofMembers(object, variables)
            : node instanceof ArrayNode list && ofList(list, variables);
    return all && variables.keySet().stream().anyMatch(name -> CONSTANT.matcher(name).matches())
        ? variables
        : null;
  }

  private static boolean ofMembers(ObjectNode object, Map<String, String> variables) {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (!member.getValue().isTextual()) {
        return false;
      }
      variables.put(member.getKey(), member.getValue().textValue());
    }
    return true;
  }

  private static boolean ofList(ArrayNode list, Map<String, String> variables) {
    for (JsonNode entry : list) {
      if (entry.isTextual() && entry.textValue().indexOf('=') > 0) {
        int equals = entry.textValue().indexOf('=');
        variables.put(
            entry.textValue().substring(0, equals), entry.textValue().substring(equals + 1));
      } else if (entry.path("name").isTextual()) {
        // One that comes from a secret or a field has no value here.
        if (entry.path("value").isTextual()) {
          variables.put(entry.get("name").textValue(), entry.get("value").textValue());
        }
      } else {
        return false;
      }
    }
    return true;
  }
}
