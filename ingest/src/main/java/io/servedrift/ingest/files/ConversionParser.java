package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the keys that say how a cell is converted. Used once, not thread-safe. */
final class ConversionParser {
  private final String path;
  private final FieldTarget target;
  private final JsonNode node;
  private final String where;
  private final MappingProblems problems;

  ConversionParser(String path, FieldTarget target, JsonNode node, MappingProblems problems) {
    this.path = path;
    this.target = target;
    this.node = node;
    this.where = "fields." + path;
    this.problems = problems;
  }

  @Nullable Conversion parse() {
    List<String> given =
        List.of("words", "buckets", "above", "list", "unit", "as", "time").stream()
            .filter(node::has)
            .toList();
    if (given.size() > 1) {
      problems.add(where, String.join(" and ", given) + " exclude each other");
      return null;
    }
    if (node.has("zone") && target.kind() != FieldTarget.Kind.TIME) {
      problems.add(where + ".zone", "needs a field that is a time, this is " + target.describe());
      return null;
    }
    return given.isEmpty() ? plain() : special(given.get(0), node.path(given.get(0)));
  }

  private @Nullable Conversion special(String key, JsonNode value) {
    FieldTarget.Kind kind = target.kind();
    return switch (key) {
      case "words" -> words(value);
      case "buckets" ->
          fits(key, kind == FieldTarget.Kind.TEXT || kind == FieldTarget.Kind.FREE)
              ? buckets(value)
              : null;
      case "above" ->
          fits(key, kind == FieldTarget.Kind.BOOLEAN || kind == FieldTarget.Kind.FREE)
              ? above(value)
              : null;
      case "list" -> fits(key, kind == FieldTarget.Kind.LIST) ? list(value) : null;
      case "unit" -> fits(key, target.isNumber()) ? unit(value.asText()) : null;
      case "as" -> fits(key, kind == FieldTarget.Kind.FREE) ? as(value.asText()) : null;
      default -> fits(key, kind == FieldTarget.Kind.TIME) ? time(value.asText()) : null;
    };
  }

  private boolean fits(String key, boolean fits) {
    if (!fits) {
      problems.add(where + "." + key, "does not fit: the field is " + target.describe());
    }
    return fits;
  }

  private @Nullable Conversion plain() {
    if (Unit.isDuration(path)) {
      problems.add(where, "needs a unit, one of " + Unit.allowedFor(path));
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
        problems.add(where, "needs list: the separator between the values of a cell");
        yield null;
      }
    };
  }

  private @Nullable Conversion unit(String name) {
    Unit unit = Unit.of(name, path);
    if (unit == null) {
      problems.add(where + ".unit=" + name, "must be " + Unit.allowedFor(path));
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
        problems.add(where + ".as=" + name, "must be one of text, number, whole, boolean");
        yield null;
      }
    };
  }

  private @Nullable Conversion above(JsonNode limit) {
    if (!limit.isNumber()) {
      problems.add(where + ".above=" + limit, "must be a number");
      return null;
    }
    return new Conversion.Above(limit.decimalValue());
  }

  private @Nullable Conversion list(JsonNode separator) {
    if (!separator.isTextual() || separator.asText().isEmpty()) {
      problems.add(where + ".list=" + separator, "must be the separator between the values");
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
        problems.add(where + ".buckets=" + value, "must be rising numbers, such as [1, 2, 4, 8]");
        return null;
      }
      edges.add(edge.decimalValue());
    }
    if (!value.isArray() || edges.isEmpty()) {
      problems.add(where + ".buckets=" + value, "must be a list of lower edges");
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
        problems.add(where + ".zone=" + zoneName, "must be a zone such as UTC or Europe/Paris");
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
        problems.add(where, "the pattern " + pattern + " has no zone: zone must be given");
        return null;
      }
      return new Conversion.Time(time);
    } catch (IllegalArgumentException e) {
      problems.add(
          where + ".time=" + pattern,
          "must be iso, epoch_s, epoch_ms or a pattern such as yyyy-MM-dd HH:mm:ss");
      return null;
    }
  }

  private @Nullable Conversion words(JsonNode table) {
    if (!table.isObject() || table.isEmpty()) {
      problems.add(where + ".words", "must be a mapping from words of the file to values");
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
        problems.add(where + ".words." + word, "must be a value, or skip: with the reason");
        return null;
      }
      return new Conversion.Outcome.Skip(reason);
    }
    JsonNode constant = fitted(value);
    if (!target.takes(constant)) {
      problems.add(where + ".words." + word + "=" + value, "must be " + target.describe());
      return null;
    }
    return new Conversion.Outcome.Value(constant);
  }

  /** A number or flag written for a text field is meant as text. */
  private JsonNode fitted(JsonNode value) {
    boolean text = target.kind() == FieldTarget.Kind.TEXT && value.isValueNode();
    return text && !value.isNull() ? TextNode.valueOf(value.asText()) : value;
  }
}
