package io.servedrift.monitors.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * YAML as it was written: every scalar is its text, with its line. An id of digits stays what it is
 * (as a number, {@code 0123456701234567} would be octal and {@code 12e4...} infinite).
 */
public sealed interface YamlNode {

  /** Line in the text, from 1. */
  int line();

  /** A value. */
  record Scalar(String text, int line) implements YamlNode {}

  /** Nothing: a key without a value. */
  record Empty(int line) implements YamlNode {}

  /** A list. */
  record Items(List<YamlNode> items, int line) implements YamlNode {}

  /**
   * A map.
   *
   * @param members in the order of the text; of a repeated key the first
   */
  record Members(Map<String, YamlNode> members, int line) implements YamlNode {}

  /** The text is not YAML, or uses of it what a policy does not need. */
  final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message) {
      super(message);
    }

    UnreadableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Reads one document; an empty text is {@link Empty}.
   *
   * @param problems takes repeated keys
   * @throws UnreadableException saying where and why
   */
  static YamlNode read(String yaml, List<String> problems) throws UnreadableException {
    try (YAMLParser parser = new YAMLFactory().createParser(yaml)) {
      if (parser.nextToken() == null) {
        return new Empty(1);
      }
      YamlNode root = node(parser, problems, 0);
      if (parser.nextToken() != null) {
        throw new UnreadableException(
            line(parser) + ": must be one document, a second one starts here");
      }
      return root;
    } catch (JsonProcessingException e) {
      String reason = e.getOriginalMessage().lines().findFirst().orElse("").strip();
      String hint =
          reason.contains("alias") ? "; a name that begins with * must stand in quotes: \"*\"" : "";
      throw new UnreadableException(line(e) + ": not YAML: " + reason + hint, e);
    } catch (IOException e) {
      throw new UnreadableException("1: cannot be read: " + e.getMessage(), e);
    }
  }

  private static YamlNode node(YAMLParser parser, List<String> problems, int depth)
      throws IOException, UnreadableException {
    int line = line(parser);
    if (depth > 10) {
      throw new UnreadableException(line + ": must be nested at most 10 levels");
    }
    if (parser.isCurrentAlias()) {
      throw new UnreadableException(
          line + ": *" + parser.getText() + ": must be written out, aliases are not read");
    }
    JsonToken token = parser.currentToken();
    if (token == JsonToken.START_ARRAY) {
      List<YamlNode> items = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        items.add(node(parser, problems, depth + 1));
      }
      return new Items(items, line);
    }
    if (token == JsonToken.START_OBJECT) {
      Map<String, YamlNode> members = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String key = parser.currentName();
        int at = line(parser);
        parser.nextToken();
        YamlNode value = node(parser, problems, depth + 1);
        if (members.putIfAbsent(key, value) != null) {
          problems.add(at + ": " + key + ": must be given once, it is here again");
        }
      }
      return new Members(members, line);
    }
    return token == JsonToken.VALUE_NULL ? new Empty(line) : new Scalar(parser.getText(), line);
  }

  /** Where the text breaks; the location of the exception is the last token before that. */
  private static int line(JsonProcessingException e) {
    Matcher place = Pattern.compile("line (\\d{1,9}), column").matcher(e.getOriginalMessage());
    int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
    while (place.find()) {
      line = Integer.parseInt(place.group(1));
    }
    return line;
  }

  private static int line(YAMLParser parser) {
    return parser.currentTokenLocation().getLineNr();
  }
}
