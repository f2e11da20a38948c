package io.servedrift.ingest.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The flags of a runtime's command line by the names of its arguments: {@code --tp-size 2}, {@code
 * --tp-size=2}, {@code --enable-metrics}, {@code --no-enable-prefix-caching}. Pure.
 */
final class CommandLineFlags {
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\(([A-Za-z_]\\w*)\\)|\\$\\{([A-Za-z_]\\w*)\\}|\\$([A-Za-z_]\\w*)");
  private static final int MOST_WORDS = 2_000;

  private CommandLineFlags() {}

  /**
   * Reads words, of which one may hold a whole shell command.
   *
   * @param environment variables that the words may name
   */
  static Map<String, JsonNode> of(List<String> words, Map<String, String> environment) {
    List<String> split = new ArrayList<>();
    for (String word : words) {
      Matcher part = WORD.matcher(word);
      while (part.find() && split.size() < MOST_WORDS) {
        String text = part.group(1) != null ? part.group(1) : part.group(2);
        split.add(expanded(text != null ? text : part.group(3), environment));
      }
    }
    Map<String, JsonNode> flags = new HashMap<>();
    for (int i = 0; i < split.size(); i++) {
      String word = split.get(i);
      if (!word.startsWith("--") || word.length() == 2) {
        continue;
      }
      int equals = word.indexOf('=');
      String name = name(equals < 0 ? word : word.substring(0, equals));
      boolean hasValue = i + 1 < split.size() && !isFlag(split.get(i + 1));
      if (equals > 0) {
        flags.put(name, value(word.substring(equals + 1)));
      } else if (hasValue) {
        flags.put(name, value(split.get(++i)));
      } else if (name.startsWith("no_")) {
        flags.put(RuntimeKeys.fullName(name.substring(3)), BooleanNode.FALSE);
      } else {
        flags.put(name, BooleanNode.TRUE);
      }
    }
    return flags;
  }

  private static boolean isFlag(String word) {
    return word.startsWith("--") || word.equals("\\") || word.equals("&&") || word.equals("|");
  }

  private static String name(String flag) {
    return RuntimeKeys.fullName(flag.substring(2).replace('-', '_').replace('.', '_'));
  }

  /** A variable that is not known stays as it is written. */
  private static String expanded(String word, Map<String, String> environment) {
    Matcher variable = VARIABLE.matcher(word);
    return variable.replaceAll(
        match -> {
          String name =
              match.group(1) != null
                  ? match.group(1)
                  : match.group(2) != null ? match.group(2) : match.group(3);
          return Matcher.quoteReplacement(environment.getOrDefault(name, match.group()));
        });
  }

  private static JsonNode value(String text) {
    if (text.matches("-?\\d{1,18}")) {
      return LongNode.valueOf(Long.parseLong(text));
    }
    if (text.matches("-?\\d{1,18}\\.\\d{1,18}")) {
      return DoubleNode.valueOf(Double.parseDouble(text));
    }
    return switch (text) {
      case "true", "True" -> BooleanNode.TRUE;
      case "false", "False" -> BooleanNode.FALSE;
      default -> TextNode.valueOf(text);
    };
  }
}
