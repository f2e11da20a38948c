package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one entry of {@code fields}. Used once, not thread-safe. */
final class FieldRuleParser {
  static final Set<String> FIELD_KEYS =
      Set.of(
          "column",
          "constant",
          "row_clock",
          "part",
          "time",
          "zone",
          "unit",
          "as",
          "words",
          "buckets",
          "above",
          "list");

  private final String path;
  private final FieldTarget target;
  private final String where;
  private final MappingProblems problems;

  FieldRuleParser(String path, FieldTarget target, MappingProblems problems) {
    this.path = path;
    this.target = target;
    this.where = "fields." + path;
    this.problems = problems;
  }

  @Nullable FieldRule parse(JsonNode node) {
    if (node.isTextual()) {
      Conversion conversion = conversion(JsonNodeFactory.instance.objectNode());
      return conversion == null
          ? null
          : new FieldRule(path, new FieldRule.Column(node.asText(), null, conversion));
    }
    if (!node.isObject()) {
      problems.add(where, "must be the name of a column or a mapping");
      return null;
    }
    problems.requireKnownKeys(node, where + ".", FIELD_KEYS);
    FieldRule.Source source = source(node);
    return source == null ? null : new FieldRule(path, source);
  }

  private FieldRule.@Nullable Source source(JsonNode node) {
    List<String> given =
        List.of("column", "constant", "row_clock").stream().filter(node::has).toList();
    if (given.size() != 1) {
      problems.add(where, "must have exactly one of column, constant, row_clock");
      return null;
    }
    if (node.has("column")) {
      return column(node);
    }
    if (node.size() > 1) {
      problems.add(where, given.get(0) + " stands alone: the other keys need a column");
      return null;
    }
    return node.has("constant") ? constant(node.path("constant")) : rowClock(node);
  }

  private FieldRule.@Nullable Source column(JsonNode node) {
    String name = text(node, "column");
    FieldRule.Part part = node.has("part") ? part(node.path("part")) : null;
    Conversion conversion = conversion(node);
    return name == null || conversion == null ? null : new FieldRule.Column(name, part, conversion);
  }

  private FieldRule.@Nullable Part part(JsonNode node) {
    problems.requireKnownKeys(node, where + ".part.", Set.of("separator", "index"));
    String separator = node.path("separator").asText();
    int index = node.path("index").asInt(-1);
    if (separator.isEmpty() || index < 0) {
      problems.add(where + ".part", "must have a separator and an index from 0");
      return null;
    }
    return new FieldRule.Part(separator, index);
  }

  private FieldRule.@Nullable Source constant(JsonNode value) {
    if (!target.takes(value)) {
      problems.add(where + ".constant=" + value, "must be " + target.describe());
      return null;
    }
    return new FieldRule.Constant(value);
  }

  private FieldRule.@Nullable Source rowClock(JsonNode node) {
    JsonNode clock = node.path("row_clock");
    problems.requireKnownKeys(clock, where + ".row_clock.", Set.of("start", "every_seconds"));
    if (target.kind() != FieldTarget.Kind.TIME) {
      problems.add(
          where + ".row_clock", "needs a field that is a time, this is " + target.describe());
      return null;
    }
    JsonNode every = clock.path("every_seconds");
    boolean sane = every.isNumber() && every.doubleValue() >= 0 && every.doubleValue() <= 86_400;
    if (!sane) {
      problems.add(where + ".row_clock.every_seconds=" + every, "must be between 0 and 86400");
      return null;
    }
    try {
      Instant start = Instant.parse(clock.path("start").asText());
      return new FieldRule.RowClock(start, every.decimalValue());
    } catch (DateTimeException e) {
      problems.add(where + ".row_clock.start=" + clock.path("start"), "must be ISO-8601 in UTC");
      return null;
    }
  }

  private @Nullable String text(JsonNode node, String key) {
    JsonNode value = node.path(key);
    if (!value.isValueNode() || value.isNull() || value.asText().isEmpty()) {
      problems.add(where + "." + key, "must be a name");
      return null;
    }
    return value.asText();
  }

  private @Nullable Conversion conversion(JsonNode node) {
    return new ConversionParser(path, target, node, problems).parse();
  }
}
