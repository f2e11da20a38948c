package io.servedrift.monitors.policy;

import io.servedrift.monitors.text.NearestKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The YAML text of a policy while it is read: gives its parts and values, and notes everything that
 * is wrong with them, each with its line. Used once, by one thread.
 */
public final class PolicyText {
  private static final int LONGEST_SHOWN = 80;

  private final String origin;
  private final List<String> problems = new ArrayList<>();
  private final YamlNode root;

  /**
   * Takes a text; when it is not YAML, that is its problem and it is empty.
   *
   * @param origin where it is from, for messages
   */
  public PolicyText(String yaml, String origin) {
    this.origin = origin;
    this.root = document(yaml);
  }

  private YamlNode document(String yaml) {
    try {
      return YamlNode.read(yaml, problems);
    } catch (YamlNode.UnreadableException e) {
      problems.add(String.valueOf(e.getMessage()));
      return new YamlNode.Empty(1);
    }
  }

  /** The whole of it. */
  public YamlNode root() {
    return root;
  }

  /**
   * Ends the reading.
   *
   * @throws PolicyException with every problem that was noted, when there is one
   */
  public void requireNoProblem() {
    if (!problems.isEmpty()) {
      throw new PolicyException(problems.stream().map(one -> origin + ":" + one).toList());
    }
  }

  /** Notes a problem: the line, where in the text, and what must be. */
  public void problem(int line, String where, String what) {
    problems.add(line + ": " + where + ": " + what);
  }

  /** The members of a map; anything else is a problem and has none. */
  public Map<String, YamlNode> members(@Nullable YamlNode node, String path) {
    if (node instanceof YamlNode.Members map) {
      return map.members();
    }
    if (node != null && !(node instanceof YamlNode.Empty)) {
      problem(node.line(), path.isEmpty() ? "the policy" : path, "must be a map (key: value)");
    }
    return Map.of();
  }

  /** The maps in a list; anything else is a problem and holds none. */
  public List<Part> items(@Nullable YamlNode node, String path, Collection<String> known) {
    List<Part> parts = new ArrayList<>();
    if (node instanceof YamlNode.Items list) {
      int index = 0;
      for (YamlNode item : list.items()) {
        parts.add(part(item, path + "[" + index++ + "]", known));
      }
    } else if (node != null && !(node instanceof YamlNode.Empty)) {
      problem(node.line(), path, "must be a list (- key: value)");
    }
    return parts;
  }

  /**
   * A map of fields; those that are not known are problems.
   *
   * @param known names that it may hold
   */
  public Part part(@Nullable YamlNode node, String path, Collection<String> known) {
    Map<String, YamlNode> members = members(node, path);
    members.forEach(
        (key, value) -> {
          if (!known.contains(key)) {
            problem(value.line(), join(path, shown(key)), "unknown field" + hint(key, known));
          }
        });
    return new Part(path, node == null ? 1 : node.line(), members);
  }

  private static String hint(String key, Collection<String> known) {
    return NearestKey.of(key, known)
        .map(best -> "; did you mean " + best + "?")
        .orElse("; must be one of " + String.join(", ", known));
  }

  private static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /** A text of the input in a message: one line of bounded length. */
  public static String shown(String text) {
    String line = text.strip().replaceAll("\\p{Cntrl}", "?");
    return line.length() > LONGEST_SHOWN ? line.substring(0, LONGEST_SHOWN) + "..." : line;
  }

  /** A map of fields in the text. */
  public final class Part {
    private final String path;
    private final int line;
    private final Map<String, YamlNode> members;

    private Part(String path, int line, Map<String, YamlNode> members) {
      this.path = path;
      this.line = line;
      this.members = members;
    }

    /** What stands under a key; null for nothing. */
    public @Nullable YamlNode get(String key) {
      return members.get(key);
    }

    /** Whether a key is there, with or without a value. */
    public boolean has(String key) {
      return members.containsKey(key);
    }

    /** The text under a key; empty when there is none. */
    public String textOf(String key) {
      return members.get(key) instanceof YamlNode.Scalar scalar ? scalar.text() : "";
    }

    /** The value of a field, null when it is absent or wrong. */
    public <T> @Nullable T value(YamlField<T> field) {
      return value(field.key(), field.type());
    }

    /** The value of a field, its default when it is absent or wrong. */
    public <T> T valueOrDefault(YamlField<T> field) {
      T value = value(field);
      return value == null ? field.defaultValue() : value;
    }

    /** The value of a field whose absence is a problem; null when it is absent or wrong. */
    public <T> @Nullable T required(YamlField<T> field) {
      if (!has(field.key())) {
        PolicyText.this.problem(
            line, join(path, field.key()), "missing, must be " + field.type().allowed());
      }
      return value(field);
    }

    /** The value under a key, null when it is absent or wrong. */
    public <T> @Nullable T value(String key, ValueType<T> type) {
      YamlNode node = members.get(key);
      if (node == null) {
        return null;
      }
      if (node instanceof YamlNode.Scalar scalar) {
        try {
          return type.read(scalar.text());
        } catch (IllegalArgumentException | ArithmeticException e) {
          problem(key, scalar.text(), type.allowed());
          return null;
        }
      }
      String found =
          node instanceof YamlNode.Empty
              ? "nothing"
              : node instanceof YamlNode.Items ? "a list" : "a map";
      PolicyText.this.problem(
          node.line(), join(path, key), "must be " + type.allowed() + ", found " + found);
      return null;
    }

    /**
     * Notes a value that is not allowed.
     *
     * @param allowed completes the sentence "must be ..."
     */
    public void problem(String key, String value, String allowed) {
      YamlNode node = members.get(key);
      PolicyText.this.problem(
          node == null ? line : node.line(),
          join(path, key) + "=" + shown(value),
          "must be " + allowed);
    }
  }
}
