package io.servedrift.ingest.files;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads a mapping strictly and collects every problem. Used once, not thread-safe. */
final class MappingParser {
  private static final ObjectMapper YAML =
      new ObjectMapper(new YAMLFactory())
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final Set<String> TOP_KEYS = Set.of("type", "separator", "fields");
  private static final Set<String> FIELD_KEYS =
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

  private final String origin;
  private final List<String> problems = new ArrayList<>();

  MappingParser(String origin) {
    this.origin = origin;
  }

  Mapping parse(String yaml) throws MappingException {
    JsonNode root = tree(yaml);
    requireKnownKeys(root, "", TOP_KEYS);
    MappedType type = type(root.get("type"));
    char separator = separator(root.get("separator"));
    List<FieldRule> rules = rules(type, root.get("fields"));
    requireFields(type, rules);
    requireNoOverlap(rules);
    if (!problems.isEmpty()) {
      throw new MappingException(origin, problems);
    }
    return new Mapping(type, separator, rules);
  }

  private JsonNode tree(String yaml) throws MappingException {
    try {
      JsonNode root = YAML.readTree(yaml);
      if (root != null && root.isObject()) {
        return root;
      }
      throw new MappingException(origin, List.of("must be a YAML mapping with the key fields"));
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new MappingException(
          origin, List.of("line " + line + ": not YAML: " + e.getOriginalMessage()));
    }
  }

  private MappedType type(@Nullable JsonNode node) {
    if (node == null) {
      return MappedType.REQUEST;
    }
    MappedType type = MappedType.of(node.asText());
    if (type == null) {
      problem("type=" + node.asText(), "must be one of " + String.join(", ", MappedType.labels()));
      return MappedType.REQUEST;
    }
    return type;
  }

  private char separator(@Nullable JsonNode node) {
    if (node == null) {
      return ',';
    }
    String text = node.asText();
    if (text.length() != 1 || "\"\r\n".contains(text)) {
      problem("separator=" + text, "must be one character, not a quote or a line end");
      return ',';
    }
    return text.charAt(0);
  }

  private List<FieldRule> rules(MappedType type, @Nullable JsonNode fields) {
    List<FieldRule> rules = new ArrayList<>();
    if (fields == null || !fields.isObject() || fields.isEmpty()) {
      problem("fields", "must be a mapping from field paths to columns");
      return rules;
    }
    for (Map.Entry<String, JsonNode> entry : fields.properties()) {
      String path = entry.getKey();
      FieldTarget target = type.target(path);
      if (target == null) {
        problem(
            "fields." + path,
            "is no field of a " + type.label() + Nearest.hint(path, type.knownPaths()));
        continue;
      }
      FieldRule rule = new RuleParser(path, target).parse(entry.getValue());
      if (rule != null) {
        rules.add(rule);
      }
    }
    return rules;
  }

  private void requireFields(MappedType type, List<FieldRule> rules) {
    List<String> paths = rules.stream().map(FieldRule::path).toList();
    for (String required : type.required()) {
      if (!paths.contains(required)) {
        problem("fields", required + " is missing, a " + type.label() + " needs it");
      }
    }
    boolean endKnown =
        paths.contains("finished_at")
            || (paths.contains("arrived_at") && paths.contains("latency_seconds"));
    if (type == MappedType.REQUEST && !endKnown) {
      problem("fields", "finished_at is missing, or arrived_at and latency_seconds in its place");
    }
  }

  private void requireNoOverlap(List<FieldRule> rules) {
    for (FieldRule outer : rules) {
      for (FieldRule inner : rules) {
        if (inner.path().startsWith(outer.path() + ".")) {
          problem("fields." + inner.path(), "lies inside " + outer.path() + ", which has a value");
        }
      }
    }
  }

  private void requireKnownKeys(JsonNode object, String prefix, Collection<String> known) {
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (!known.contains(entry.getKey())) {
        problem(prefix + entry.getKey(), "unknown key" + Nearest.hint(entry.getKey(), known));
      }
    }
  }

  private void problem(String where, String what) {
    problems.add(where + ": " + what);
  }

  /** Reads one entry of {@code fields}. */
  private final class RuleParser {
    private final String path;
    private final FieldTarget target;
    private final String where;

    RuleParser(String path, FieldTarget target) {
      this.path = path;
      this.target = target;
      this.where = "fields." + path;
    }

    @Nullable FieldRule parse(JsonNode node) {
      if (node.isTextual()) {
        Conversion conversion = new ConversionParser(YAML.createObjectNode()).parse();
        return conversion == null
            ? null
            : new FieldRule(path, new FieldRule.Column(node.asText(), null, conversion));
      }
      if (!node.isObject()) {
        problem(where, "must be the name of a column or a mapping");
        return null;
      }
      requireKnownKeys(node, where + ".", FIELD_KEYS);
      FieldRule.Source source = source(node);
      return source == null ? null : new FieldRule(path, source);
    }

    private FieldRule.@Nullable Source source(JsonNode node) {
      List<String> given =
          List.of("column", "constant", "row_clock").stream().filter(node::has).toList();
      if (given.size() != 1) {
        problem(where, "must have exactly one of column, constant, row_clock");
        return null;
      }
      if (node.has("column")) {
        return column(node);
      }
      if (node.size() > 1) {
        problem(where, given.get(0) + " stands alone: the other keys need a column");
        return null;
      }
      return node.has("constant") ? constant(node.path("constant")) : rowClock(node);
    }

    private FieldRule.@Nullable Source column(JsonNode node) {
      String name = text(node, "column");
      FieldRule.Part part = node.has("part") ? part(node.path("part")) : null;
      Conversion conversion = new ConversionParser(node).parse();
      return name == null || conversion == null
          ? null
          : new FieldRule.Column(name, part, conversion);
    }

    private FieldRule.@Nullable Part part(JsonNode node) {
      requireKnownKeys(node, where + ".part.", Set.of("separator", "index"));
      String separator = node.path("separator").asText();
      int index = node.path("index").asInt(-1);
      if (separator.isEmpty() || index < 0) {
        problem(where + ".part", "must have a separator and an index from 0");
        return null;
      }
      return new FieldRule.Part(separator, index);
    }

    private FieldRule.@Nullable Source constant(JsonNode value) {
      boolean fits =
          switch (target.kind()) {
            case TEXT -> value.isTextual();
            case TIME -> value.isTextual() || value.isIntegralNumber();
            case WORD -> target.allowed().contains(value.asText());
            case WHOLE -> value.isIntegralNumber();
            case DECIMAL -> value.isNumber();
            case BOOLEAN -> value.isBoolean();
            case LIST -> value.isArray();
            case FREE -> !value.isNull();
          };
      if (!fits) {
        problem(where + ".constant=" + value, "must be " + target.describe());
        return null;
      }
      return new FieldRule.Constant(value);
    }

    private FieldRule.@Nullable Source rowClock(JsonNode node) {
      JsonNode clock = node.path("row_clock");
      requireKnownKeys(clock, where + ".row_clock.", Set.of("start", "every_seconds"));
      if (target.kind() != FieldTarget.Kind.TIME) {
        problem(where + ".row_clock", "needs a field that is a time, this is " + target.describe());
        return null;
      }
      JsonNode every = clock.path("every_seconds");
      boolean sane = every.isNumber() && every.doubleValue() >= 0 && every.doubleValue() <= 86_400;
      if (!sane) {
        problem(where + ".row_clock.every_seconds=" + every, "must be between 0 and 86400");
        return null;
      }
      try {
        Instant start = Instant.parse(clock.path("start").asText());
        return new FieldRule.RowClock(start, every.decimalValue());
      } catch (DateTimeException e) {
        problem(where + ".row_clock.start=" + clock.path("start"), "must be ISO-8601 in UTC");
        return null;
      }
    }

    private @Nullable String text(JsonNode node, String key) {
      JsonNode value = node.path(key);
      if (!value.isValueNode() || value.isNull() || value.asText().isEmpty()) {
        problem(where + "." + key, "must be a name");
        return null;
      }
      return value.asText();
    }

    /** Reads the keys that say how a cell is converted. */
    private final class ConversionParser {
      private final JsonNode node;

      ConversionParser(JsonNode node) {
        this.node = node;
      }

      @Nullable Conversion parse() {
        List<String> given =
            List.of("words", "buckets", "above", "list", "unit", "as", "time").stream()
                .filter(node::has)
                .toList();
        if (given.size() > 1) {
          problem(where, String.join(" and ", given) + " exclude each other");
          return null;
        }
        if (node.has("zone") && target.kind() != FieldTarget.Kind.TIME) {
          problem(where + ".zone", "needs a field that is a time, this is " + target.describe());
          return null;
        }
        return given.isEmpty() ? plain() : special(given.get(0), node.path(given.get(0)));
      }

      private @Nullable Conversion special(String key, JsonNode value) {
        FieldTarget.Kind kind = target.kind();
        return switch (key) {
          case "words" -> new WordsParser(value).parse();
          case "buckets" ->
              fits(key, kind == FieldTarget.Kind.TEXT || kind == FieldTarget.Kind.FREE)
                  ? buckets(value)
                  : null;
          case "above" ->
              fits(key, kind == FieldTarget.Kind.BOOLEAN || kind == FieldTarget.Kind.FREE)
                  ? above(value)
                  : null;
          case "list" -> fits(key, kind == FieldTarget.Kind.LIST) ? list(value) : null;
          case "unit" -> unit(value.asText());
          case "as" -> fits(key, kind == FieldTarget.Kind.FREE) ? as(value.asText()) : null;
          default -> fits(key, kind == FieldTarget.Kind.TIME) ? time(value.asText()) : null;
        };
      }

      private boolean fits(String key, boolean fits) {
        if (!fits) {
          problem(where + "." + key, "does not fit: the field is " + target.describe());
        }
        return fits;
      }

      private @Nullable Conversion plain() {
        if (Unit.isDuration(path)) {
          problem(where, "needs a unit, one of " + Unit.allowedFor(path));
          return null;
        }
        return switch (target.kind()) {
          case TEXT, FREE -> new Conversion.Text();
          case WORD -> new Conversion.Word(target);
          case WHOLE -> new Conversion.Scaled(BigDecimal.ONE, true);
          case DECIMAL -> new Conversion.Scaled(BigDecimal.ONE, false);
          case BOOLEAN -> new Conversion.Flag();
          case TIME -> time("iso");
          case LIST -> {
            problem(where, "needs list: the separator between the values of a cell");
            yield null;
          }
        };
      }

      private @Nullable Conversion unit(String name) {
        Unit unit = Unit.of(name, path, target);
        if (unit == null) {
          problem(where + ".unit=" + name, "must be " + Unit.allowedFor(path));
          return null;
        }
        return new Conversion.Scaled(unit.factor(), target.kind() == FieldTarget.Kind.WHOLE);
      }

      private @Nullable Conversion as(String name) {
        return switch (name) {
          case "text" -> new Conversion.Text();
          case "number" -> new Conversion.Scaled(BigDecimal.ONE, false);
          case "whole" -> new Conversion.Scaled(BigDecimal.ONE, true);
          case "boolean" -> new Conversion.Flag();
          default -> {
            problem(where + ".as=" + name, "must be one of text, number, whole, boolean");
            yield null;
          }
        };
      }

      private @Nullable Conversion above(JsonNode limit) {
        if (!limit.isNumber()) {
          problem(where + ".above=" + limit, "must be a number");
          return null;
        }
        return new Conversion.Above(limit.decimalValue());
      }

      private @Nullable Conversion list(JsonNode separator) {
        if (!separator.isTextual() || separator.asText().isEmpty()) {
          problem(where + ".list=" + separator, "must be the separator between the values");
          return null;
        }
        return new Conversion.Split(separator.asText());
      }

      private @Nullable Conversion buckets(JsonNode value) {
        List<BigDecimal> edges = new ArrayList<>();
        for (JsonNode edge : value) {
          boolean rises =
              edge.isNumber()
                  && (edges.isEmpty()
                      || edge.decimalValue().compareTo(edges.get(edges.size() - 1)) > 0);
          if (!rises) {
            problem(where + ".buckets=" + value, "must be rising numbers, such as [1, 2, 4, 8]");
            return null;
          }
          edges.add(edge.decimalValue());
        }
        if (!value.isArray() || edges.isEmpty()) {
          problem(where + ".buckets=" + value, "must be a list of lower edges");
          return null;
        }
        return new Conversion.Bucket(new Buckets(edges));
      }

      private @Nullable Conversion time(String format) {
        String zoneName = node.path("zone").asText();
        ZoneId zone = null;
        if (!zoneName.isEmpty()) {
          try {
            zone = ZoneId.of(zoneName);
          } catch (DateTimeException e) {
            problem(where + ".zone=" + zoneName, "must be a zone such as UTC or Europe/Paris");
            return null;
          }
        }
        return switch (format) {
          case "iso" -> new Conversion.Time(new TimeFormat.Iso(zone));
          case "epoch_s" -> new Conversion.Time(new TimeFormat.Epoch(false));
          case "epoch_ms" -> new Conversion.Time(new TimeFormat.Epoch(true));
          default -> patterned(format, zone);
        };
      }

      private @Nullable Conversion patterned(String pattern, @Nullable ZoneId zone) {
        try {
          TimeFormat.Patterned time = TimeFormat.Patterned.of(pattern, zone);
          if (zone == null && !time.carriesZone()) {
            problem(where, "the pattern " + pattern + " has no zone: zone must be given");
            return null;
          }
          return new Conversion.Time(time);
        } catch (IllegalArgumentException e) {
          problem(
              where + ".time=" + pattern,
              "must be iso, epoch_s, epoch_ms or a pattern such as yyyy-MM-dd HH:mm:ss");
          return null;
        }
      }
    }

    /** Reads the table of words. */
    private final class WordsParser {
      private final JsonNode table;

      WordsParser(JsonNode table) {
        this.table = table;
      }

      @Nullable Conversion parse() {
        if (!table.isObject() || table.isEmpty()) {
          problem(where + ".words", "must be a mapping from words of the file to values");
          return null;
        }
        Map<String, Conversion.Outcome> outcomes = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : table.properties()) {
          Conversion.Outcome outcome = outcome(entry.getKey(), entry.getValue());
          if (outcome == null) {
            return null;
          }
          outcomes.put(entry.getKey(), outcome);
        }
        return new Conversion.Words(outcomes);
      }

      private Conversion.@Nullable Outcome outcome(String word, JsonNode value) {
        if (value.isObject()) {
          String reason = value.path("skip").asText();
          if (value.size() != 1 || reason.isBlank()) {
            problem(where + ".words." + word, "must be a value, or skip: with the reason");
            return null;
          }
          return new Conversion.Outcome.Skip(reason);
        }
        FieldRule.Source constant = constant(fitted(value));
        return constant instanceof FieldRule.Constant c
            ? new Conversion.Outcome.Value(c.value())
            : null;
      }

      /** A number or flag written for a text field is meant as text. */
      private JsonNode fitted(JsonNode value) {
        boolean text = target.kind() == FieldTarget.Kind.TEXT && value.isValueNode();
        return text && !value.isNull() ? TextNode.valueOf(value.asText()) : value;
      }
    }
  }
}
