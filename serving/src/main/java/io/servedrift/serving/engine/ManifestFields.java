package io.servedrift.serving.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.servedrift.ingest.files.Nearest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads typed fields of a JSON object and notes what is wrong with them, so that all problems are
 * told at once. A field with a problem reads as a placeholder that must not be used. Not
 * thread-safe.
 */
final class ManifestFields {

  private final JsonNode object;
  private final String prefix;
  private final List<String> problems;

  ManifestFields(JsonNode object, String prefix, List<String> problems) {
    this.object = object;
    this.prefix = prefix;
    this.problems = problems;
  }

  /** Whether a field is there and not null. */
  boolean has(String name) {
    return object.hasNonNull(name);
  }

  /** The names of the fields, in their order. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Notes every field that is not one of these, with the one that was meant. */
  void only(String... allowed) {
    List<String> known = Arrays.asList(allowed);
    for (String name : names()) {
      if (!known.contains(name)) {
        problems.add(prefix + abbreviated(name) + " is no field" + Nearest.hint(name, known));
      }
    }
  }

  /** A nested object. */
  ManifestFields object(String name) {
    JsonNode value = object.path(name);
    if (!value.isObject()) {
      problem(name, value, "an object");
      value = MissingNode.getInstance();
    }
    return new ManifestFields(value, prefix + name + ".", problems);
  }

  String text(String name) {
    JsonNode value = object.path(name);
    if (!value.isTextual() || value.textValue().isBlank()) {
      problem(name, value, "a text");
      return "";
    }
    return value.textValue();
  }

  boolean bool(String name) {
    JsonNode value = object.path(name);
    if (!value.isBoolean()) {
      problem(name, value, "true or false");
    }
    return value.booleanValue();
  }

  int integer(String name, int min, int max) {
    JsonNode value = object.path(name);
    if (!value.isInt() || value.intValue() < min || value.intValue() > max) {
      problem(name, value, "an integer between " + min + " and " + max);
      return min;
    }
    return value.intValue();
  }

  double number(String name, double min, double max) {
    JsonNode value = object.path(name);
    if (!value.isNumber() || !(value.doubleValue() >= min && value.doubleValue() <= max)) {
      problem(name, value, "a number between " + min + " and " + max);
      return min;
    }
    return value.doubleValue();
  }

  /** One of the words of an enumeration; the first when there is a problem. */
  <E> E word(String name, E[] allowed, Function<E, String> word) {
    JsonNode value = object.path(name);
    return find(value, allowed, word)
        .orElseGet(
            () -> {
              problem(name, value, "one of " + words(allowed, word));
              return allowed[0];
            });
  }

  /** A list of words of an enumeration, not empty. */
  <E> List<E> words(String name, E[] allowed, Function<E, String> word) {
    List<E> found = new ArrayList<>();
    for (JsonNode value : array(name)) {
      find(value, allowed, word)
          .ifPresentOrElse(
              found::add, () -> problem(name, value, "some of " + words(allowed, word)));
    }
    return found;
  }

  /** The elements of a list, not empty. */
  List<JsonNode> array(String name) {
    JsonNode value = object.path(name);
    List<JsonNode> elements = new ArrayList<>();
    value.forEach(elements::add);
    if (!value.isArray() || elements.isEmpty()) {
      problem(name, value, "a list that is not empty");
      return List.of();
    }
    return elements;
  }

  /** Every field as a text. */
  Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    names().forEach(name -> texts.put(name, text(name)));
    return texts;
  }

  /** Notes a problem: what, the value, what is allowed. */
  void problem(String name, JsonNode value, String allowed) {
    String shown = value.isMissingNode() ? " is missing" : "=" + abbreviated(value.toString());
    problems.add(prefix + name + shown + ": must be " + allowed);
  }

  private static String abbreviated(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }

  private static <E> Optional<E> find(JsonNode value, E[] allowed, Function<E, String> word) {
    return Arrays.stream(allowed)
        .filter(each -> value.isTextual() && word.apply(each).equals(value.textValue()))
        .findFirst();
  }

  private static <E> String words(E[] allowed, Function<E, String> word) {
    return String.join(", ", Arrays.stream(allowed).map(word).toList());
  }
}
