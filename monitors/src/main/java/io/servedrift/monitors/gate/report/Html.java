package io.servedrift.monitors.gate.report;

import java.util.List;
import java.util.function.Consumer;

/**
 * Builds a page in which text is always text: what is given as content or as the value of an
 * attribute is escaped here and nowhere else. Names of elements, attributes and classes are the
 * program's own. Not thread-safe.
 */
final class Html {
  /** What HTML knows to hold nothing; anything else, SVG too, must be closed. */
  private static final List<String> EMPTY = List.of("input", "img");

  private final StringBuilder out = new StringBuilder();

  /** An element with what a consumer puts into it. */
  Html element(String name, String classes, Consumer<Html> inside) {
    return element(name, List.of("class", classes), inside);
  }

  /**
   * An element.
   *
   * @param attributes names and values in turn; those without a value are left out
   */
  Html element(String name, List<String> attributes, Consumer<Html> inside) {
    open(name, attributes);
    inside.accept(this);
    out.append("</").append(name).append('>');
    return this;
  }

  /** An element that holds a text. */
  Html text(String name, String classes, String text) {
    return element(name, classes, inside -> inside.text(text));
  }

  /** An element that holds nothing. */
  Html empty(String name, List<String> attributes) {
    open(name, attributes);
    if (!EMPTY.contains(name)) {
      out.append("</").append(name).append('>');
    }
    return this;
  }

  /** Text. */
  Html text(String text) {
    out.append(escaped(text));
    return this;
  }

  private void open(String name, List<String> attributes) {
    out.append('<').append(name);
    for (int i = 0; i < attributes.size(); i += 2) {
      String value = attributes.get(i + 1);
      if (!value.isEmpty()) {
        out.append(' ').append(attributes.get(i)).append("=\"").append(escaped(value)).append('"');
      }
    }
    out.append('>');
  }

  /** Text for content or for an attribute in double quotes; control characters become {@code ?}. */
  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> safe.append("&amp;");
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '"' -> safe.append("&quot;");
        case '\'' -> safe.append("&#39;");
        default -> safe.append(Character.isISOControl(c) && c != '\n' && c != '\t' ? '?' : c);
      }
    }
    return safe.toString();
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
