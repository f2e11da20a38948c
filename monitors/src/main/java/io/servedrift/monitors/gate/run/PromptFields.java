package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Makes a {@link GatePrompt} of one JSON object and notes all that is wrong. Not thread-safe. */
final class PromptFields {
  private static final Set<String> KNOWN =
      Set.of(
          "prompt",
          "class",
          "system",
          "negative_prompt",
          "size",
          "steps",
          "seed",
          "temperature",
          "max_tokens",
          "shared_prefix",
          "expected",
          "case");
  private static final Set<String> EXPECTED = Set.of("answer", "regex", "json_schema");
  private static final Pattern CLASS = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
  private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,4})x([1-9]\\d{0,4})");
  private static final int MAX_TEXT = 32_000;
  private static final int MAX_NAME = 128;
  private static final int MAX_SHOWN = 40;
  private static final int MAX_PATTERN = 1_000;

  private final JsonNode node;
  private final String at;
  private final List<String> problems;
  private final int before;

  PromptFields(JsonNode node, String at, List<String> problems) {
    this.node = node;
    this.at = at;
    this.problems = problems;
    this.before = problems.size();
  }

  @Nullable GatePrompt prompt(int index) {
    if (!node.isObject()) {
      problems.add(at + ": must be a JSON object");
      return null;
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      if (!KNOWN.contains(member.getKey())) {
        problem(
            shown(member.getKey()),
            "is not known; known are " + String.join(", ", new TreeSet<>(KNOWN)));
      }
    }
    String text = text("prompt", MAX_TEXT);
    if (text == null || text.isBlank()) {
      problem("prompt", "must be given and not be blank");
      return null;
    }
    String promptClass = text("class", MAX_NAME);
    if (promptClass != null && !CLASS.matcher(promptClass).matches()) {
      problem("class", "must be 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first");
    }
    Matcher size = size();
    GatePrompt prompt =
        new GatePrompt(
            index,
            text,
            null,
            promptClass,
            text("system", MAX_TEXT),
            text("negative_prompt", MAX_TEXT),
            size == null ? null : Integer.valueOf(size.group(1)),
            size == null ? null : Integer.valueOf(size.group(2)),
            integer("steps", 1, 10_000),
            seed(),
            number("temperature", 0, 10),
            integer("max_tokens", 1, 1_000_000),
            text("shared_prefix", MAX_NAME),
            expected());
    return problems.size() > before ? null : prompt;
  }

  /** A name that may be anything, for a message. */
  private static String shown(String name) {
    String printable = name.replaceAll("\\p{Cntrl}", " ");
    return printable.substring(0, Math.min(MAX_SHOWN, printable.length()));
  }

  private void problem(String member, String what) {
    problems.add(at + ": " + member + " " + what);
  }

  private @Nullable JsonNode member(String name) {
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  private @Nullable String text(String name, int longest) {
    JsonNode value = member(name);
    if (value == null) {
      return null;
    }
    if (!value.isTextual() || value.textValue().length() > longest) {
      problem(name, "must be text of at most " + longest + " characters");
      return null;
    }
    return value.textValue();
  }

  private @Nullable Matcher size() {
    String text = text("size", MAX_NAME);
    if (text == null) {
      return null;
    }
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      problem("size", "must be WIDTHxHEIGHT in pixels, for example 1024x1024");
      return null;
    }
    return size;
  }

  private @Nullable Integer integer(String name, int least, int most) {
    JsonNode value = member(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < least
        || value.intValue() > most) {
      problem(name, "must be a whole number from " + least + " to " + most);
      return null;
    }
    return value.intValue();
  }

  private @Nullable Long seed() {
    JsonNode value = member("seed");
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
      problem("seed", "must be a whole number from 0");
      return null;
    }
    return value.longValue();
  }

  private @Nullable Double number(String name, double least, double most) {
    JsonNode value = member(name);
    if (value == null) {
      return null;
    }
    if (!value.isNumber() || !(value.doubleValue() >= least && value.doubleValue() <= most)) {
      problem(name, "must be a number from " + least + " to " + most);
      return null;
    }
    return value.doubleValue();
  }

  private @Nullable Expectation expected() {
    JsonNode value = member("expected");
    if (value == null) {
      return null;
    }
    List<String> names = new ArrayList<>();
    value.fieldNames().forEachRemaining(names::add);
    if (!value.isObject() || names.size() != 1 || !EXPECTED.contains(names.get(0))) {
      problem("expected", "must be an object with one of " + new TreeSet<>(EXPECTED));
      return null;
    }
    JsonNode what = value.get(names.get(0));
    try {
      return switch (names.get(0)) {
        case "answer" -> new Expectation.Exact(given(what));
        case "regex" -> new Expectation.Matching(Pattern.compile(given(what)));
        default -> new Expectation.Json(JsonForm.of(what));
      };
    } catch (PatternSyntaxException e) {
      problem("expected.regex", "must be a regular expression: " + e.getDescription());
    } catch (IllegalArgumentException e) {
      problem("expected", String.valueOf(e.getMessage()));
    }
    return null;
  }

  private static String given(JsonNode value) {
    if (!value.isTextual() || value.textValue().length() > MAX_PATTERN) {
      throw new IllegalArgumentException("must be text of at most " + MAX_PATTERN + " characters");
    }
    return value.textValue();
  }
}
