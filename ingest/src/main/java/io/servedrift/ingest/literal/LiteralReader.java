package io.servedrift.ingest.literal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.jspecify.annotations.Nullable;

/** Recursive descent over one text. Used once, not thread-safe. */
final class LiteralReader {
  private static final int MAX_DEPTH = 64;
  private static final String CUT = "...";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final String text;
  private int at;

  LiteralReader(String text, int start) {
    this.text = text;
    this.at = start;
  }

  /** The text is no value; carries no stack, as broken lines are usual. */
  static final class Unreadable extends Exception {
    Unreadable() {
      super("not a Python literal", null, false, false);
    }
  }

  boolean atEnd() {
    skipBlank();
    return at >= text.length();
  }

  JsonNode value(int depth) throws Unreadable {
    if (depth > MAX_DEPTH) {
      throw new Unreadable();
    }
    skipBlank();
    char c = peek();
    JsonNode value =
        switch (c) {
          case '{' -> braces(depth);
          case '[' -> sequence(']', depth);
          case '(' -> sequence(')', depth);
          case '<' -> angle();
          case '\'', '"' -> string();
          default -> isNumberStart(c) ? number() : word(depth);
        };
    return cut(value, depth);
  }

  /** Joins what a logger cut in the middle: text, or a list. */
  private JsonNode cut(JsonNode head, int depth) throws Unreadable {
    int before = at;
    skipBlank();
    if (!text.startsWith(CUT, at)) {
      at = before;
      return head;
    }
    at += CUT.length();
    skipBlank();
    if (at >= text.length() || "'\"[({".indexOf(text.charAt(at)) < 0) {
      return head;
    }
    JsonNode tail = value(depth + 1);
    return head.isTextual() && tail.isTextual()
        ? TextNode.valueOf(head.textValue() + CUT + tail.textValue())
        : head;
  }

  private JsonNode braces(int depth) throws Unreadable {
    at++;
    skipBlank();
    ObjectNode object = NODES.objectNode();
    ArrayNode set = NODES.arrayNode();
    while (!take('}')) {
      JsonNode key = value(depth + 1);
      if (take(':')) {
        object.set(key.isTextual() ? key.textValue() : key.toString(), value(depth + 1));
      } else {
        set.add(key);
      }
      separator('}');
    }
    return set.isEmpty() ? object : set;
  }

  private ArrayNode sequence(char close, int depth) throws Unreadable {
    at++;
    ArrayNode array = NODES.arrayNode();
    while (!take(close)) {
      array.add(value(depth + 1));
      separator(close);
    }
    return array;
  }

  private void separator(char close) throws Unreadable {
    skipBlank();
    if (peek() != close && !take(',')) {
      throw new Unreadable();
    }
  }

  /** {@code <Mode.A: 1>}: an enum member by its name, anything else as it stands. */
  private TextNode angle() throws Unreadable {
    int start = ++at;
    int open = 1;
    while (open > 0) {
      char c = peek();
      open += c == '<' ? 1 : c == '>' ? -1 : 0;
      at++;
    }
    String inside = text.substring(start, at - 1);
    int colon = inside.indexOf(": ");
    return TextNode.valueOf(colon > 0 ? inside.substring(0, colon) : inside);
  }

  private TextNode string() throws Unreadable {
    char quote = text.charAt(at++);
    StringBuilder out = new StringBuilder();
    while (peek() != quote) {
      char c = text.charAt(at++);
      if (c == '\\') {
        escape(out);
      } else {
        out.append(c);
      }
    }
    at++;
    return TextNode.valueOf(out.toString());
  }

  private void escape(StringBuilder out) throws Unreadable {
    char c = peek();
    at++;
    switch (c) {
      case 'n' -> out.append('\n');
      case 't' -> out.append('\t');
      case 'r' -> out.append('\r');
      case 'x' -> out.append((char) hex(2));
      case 'u' -> out.append((char) hex(4));
      case 'U' -> {
        int point = hex(8);
        if (!Character.isValidCodePoint(point)) {
          throw new Unreadable();
        }
        out.appendCodePoint(point);
      }
      default -> out.append(c);
    }
  }

  private int hex(int digits) throws Unreadable {
    if (at + digits > text.length()) {
      throw new Unreadable();
    }
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = Character.digit(text.charAt(at++), 16);
      if (digit < 0) {
        throw new Unreadable();
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static boolean isNumberStart(char c) {
    return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.';
  }

  private JsonNode number() throws Unreadable {
    int start = at;
    while (at < text.length() && (isNumberStart(text.charAt(at)) || isExponent(start))) {
      at++;
    }
    String number = text.substring(start, at);
    if (isWordPart(start) || number.isEmpty()) {
      // 16-bit, 2d, 1e5x: a bare word that starts with a digit.
      at = start;
      return TextNode.valueOf(bareWord());
    }
    try {
      return number.chars().allMatch(c -> c >= '0' && c <= '9' || c == '-' || c == '+')
          ? LongNode.valueOf(Long.parseLong(number))
          : DoubleNode.valueOf(Double.parseDouble(number));
    } catch (NumberFormatException e) {
      return TextNode.valueOf(number);
    }
  }

  private boolean isExponent(int start) {
    char c = text.charAt(at);
    return (c == 'e' || c == 'E')
        && at > start
        && at + 1 < text.length()
        && isNumberStart(text.charAt(at + 1));
  }

  private boolean isWordPart(int start) {
    return at < text.length()
        && at >= start
        && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_');
  }

  private JsonNode word(int depth) throws Unreadable {
    String word = bareWord();
    if (word.isEmpty()) {
      throw new Unreadable();
    }
    if (at < text.length() && text.charAt(at) == '(') {
      return call(depth);
    }
    if (word.length() == 1 && at < text.length() && "'\"".indexOf(text.charAt(at)) >= 0) {
      return string(); // b'...'
    }
    return switch (word) {
      case "None", "null" -> NullNode.instance;
      case "True", "true" -> BooleanNode.TRUE;
      case "False", "false" -> BooleanNode.FALSE;
      case "nan", "NaN" -> DoubleNode.valueOf(Double.NaN);
      case "inf", "Infinity" -> DoubleNode.valueOf(Double.POSITIVE_INFINITY);
      default -> TextNode.valueOf(word);
    };
  }

  private String bareWord() {
    int start = at;
    while (at < text.length() && ",:=()[]{}'\"<> \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return text.substring(start, at);
  }

  /** {@code Name(a=1, 'b')}: an object of the named arguments, or an array of the others. */
  private JsonNode call(int depth) throws Unreadable {
    at++;
    ObjectNode named = NODES.objectNode();
    ArrayNode others = NODES.arrayNode();
    while (!take(')')) {
      String name = argumentName();
      if (name == null) {
        others.add(value(depth + 1));
      } else {
        named.set(name, value(depth + 1));
      }
      separator(')');
    }
    return others.isEmpty() ? named : named.isEmpty() ? others : named.set("args", others);
  }

  private @Nullable String argumentName() {
    skipBlank();
    int start = at;
    String word = bareWord();
    if (!word.isEmpty() && at < text.length() && text.charAt(at) == '=') {
      at++;
      return word;
    }
    at = start;
    return null;
  }

  /** Named arguments up to the first part that is none. */
  ObjectNode arguments() {
    ObjectNode named = NODES.objectNode();
    try {
      for (String name = argumentName(); name != null; name = argumentName()) {
        named.set(name, value(1));
        if (!take(',')) {
          break;
        }
      }
    } catch (Unreadable e) {
      return named;
    }
    return named;
  }

  private boolean take(char c) throws Unreadable {
    skipBlank();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    if (at >= text.length() && c != ',' && c != ':') {
      throw new Unreadable();
    }
    return false;
  }

  private char peek() throws Unreadable {
    if (at >= text.length()) {
      throw new Unreadable();
    }
    return text.charAt(at);
  }

  private void skipBlank() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }
}
