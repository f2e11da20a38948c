package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies a mapping to rows: the result is the public JSON of an event. Thread-safe. */
final class RowMapper {
  /** A row after mapping. */
  sealed interface Outcome {
    record Mapped(ObjectNode event) implements Outcome {}

    record Skipped(String reason) implements Outcome {}

    record Failed(Reading.Rejected why) implements Outcome {}
  }

  private static final int SHOWN_CHARACTERS = 40;

  private final Mapping mapping;
  private final Map<String, String> columnOfPath = new TreeMap<>();

  RowMapper(Mapping mapping) {
    this.mapping = mapping;
    for (FieldRule rule : mapping.rules()) {
      if (rule.source() instanceof FieldRule.Column column) {
        columnOfPath.put(rule.path(), column.name());
      }
    }
  }

  /**
   * Maps one row.
   *
   * @param cells value of a column, null when the row has none
   * @param row number of the row over all files, from 0
   */
  Outcome map(Function<String, @Nullable JsonNode> cells, long row) {
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("type", mapping.type().label());
    List<Problem> problems = new ArrayList<>();
    String reason = Conversion.BAD_VALUE;
    for (FieldRule rule : mapping.rules()) {
      Conversion.Outcome outcome = value(rule, cells, row);
      if (outcome instanceof Conversion.Outcome.Skip skip) {
        return new Outcome.Skipped(skip.reason());
      }
      if (outcome instanceof Conversion.Outcome.Value value) {
        put(event, rule.pathParts(), value.node());
      }
      if (outcome instanceof Conversion.Outcome.Bad bad
          && rule.source() instanceof FieldRule.Column column) {
        reason = problems.isEmpty() ? bad.reason() : reason;
        problems.add(
            new Problem(located(rule.path()), shown(cells.apply(column.name())), bad.allowed()));
      }
    }
    return problems.isEmpty()
        ? new Outcome.Mapped(event)
        : new Outcome.Failed(new Reading.Rejected(reason, problems));
  }

  /** The same rejection with the columns named beside the fields. */
  Reading.Rejected locate(Reading.Rejected why) {
    return new Reading.Rejected(
        why.reason(),
        why.problems().stream()
            .map(p -> new Problem(located(p.path()), p.value(), p.allowed()))
            .toList());
  }

  /** The mapped columns of a row by name: what a dead letter keeps of it. */
  ObjectNode mappedColumns(Function<String, @Nullable JsonNode> cells) {
    ObjectNode kept = JsonNodeFactory.instance.objectNode();
    for (String column : mapping.columns()) {
      JsonNode cell = cells.apply(column);
      if (cell != null) {
        kept.set(column, cell);
      }
    }
    return kept;
  }

  /** Where the id stands in a row, or -1: what differs between rows that look alike. */
  int idPosition(FileRow.Columns row) {
    String column = columnOfPath.get("request_id");
    Integer position =
        column != null && row instanceof FileRow.Csv csv ? csv.index().get(column) : null;
    return position == null ? -1 : position;
  }

  private String located(String path) {
    String column = columnOfPath.get(path.replaceAll("\\[\\d+\\]", ""));
    return column == null ? path : path + " (column " + column + ")";
  }

  private static Conversion.@Nullable Outcome value(
      FieldRule rule, Function<String, @Nullable JsonNode> cells, long row) {
    FieldRule.Source source = rule.source();
    if (source instanceof FieldRule.Constant constant) {
      return new Conversion.Outcome.Value(constant.value());
    }
    if (source instanceof FieldRule.RowClock clock) {
      return new Conversion.Outcome.Value(TextNode.valueOf(clock.at(row).toString()));
    }
    FieldRule.Column column = (FieldRule.Column) source;
    JsonNode cell = cells.apply(column.name());
    return cell == null || cell.isNull() ? null : convert(column, cell);
  }

  private static Conversion.@Nullable Outcome convert(FieldRule.Column column, JsonNode cell) {
    if (cell instanceof ArrayNode list && column.conversion() instanceof Conversion.Split) {
      return new Conversion.Outcome.Value(list);
    }
    if (cell.isContainerNode()) {
      return new Conversion.Outcome.Bad(Conversion.BAD_VALUE, "a plain value");
    }
    String text = cell.asText().strip();
    FieldRule.Part part = column.part();
    if (part != null) {
      String piece = part.of(text);
      if (piece == null) {
        return new Conversion.Outcome.Bad(
            Conversion.BAD_VALUE,
            "at least " + (part.index() + 1) + " parts between '" + part.separator() + "'");
      }
      text = piece.strip();
    }
    return text.isEmpty() ? null : column.conversion().convert(text);
  }

  private static String shown(@Nullable JsonNode cell) {
    String text =
        cell == null ? "" : cell.isValueNode() ? cell.asText() : cell.getNodeType().name();
    return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "...";
  }

  private static void put(ObjectNode event, List<String> path, JsonNode value) {
    ObjectNode here = event;
    for (String part : path.subList(0, path.size() - 1)) {
      here = here.get(part) instanceof ObjectNode next ? next : here.putObject(part);
    }
    JsonNode plain =
        value.isBigDecimal() ? DoubleNode.valueOf(value.doubleValue()) : value.deepCopy();
    here.set(path.get(path.size() - 1), plain);
  }
}
