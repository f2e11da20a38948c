package io.servedrift.ingest.files;

import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Review;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.schemas.avro.ServingEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** The event types a mapping can build, with the field paths each one knows. */
@SuppressWarnings("ImmutableEnumChecker") // schemas are not changed once they are built
enum MappedType {
  REQUEST(RequestEvent.getClassSchema(), "finished_at", List.of("request_id", "deployment")),
  SCORE(
      ScoreEvent.getClassSchema(),
      "scored_at",
      List.of("request_id", "deployment", "name", "value", "scored_at")),
  SERVING_EVENT(
      ServingEvent.getClassSchema(), "at", List.of("event_id", "at", "deployment", "kind")),
  CONFIG(ConfigRecord.getClassSchema(), "at", List.of("at", "deployment")),
  HEARTBEAT(Heartbeat.getClassSchema(), "at", List.of("at", "deployment", "node")),
  REVIEW(Review.getClassSchema(), "at", List.of("at", "deployment", "verdict")),
  EVAL(EvalResult.getClassSchema(), "at", List.of("eval_id", "at", "name", "metric", "value"));

  /** Objects given inline and fingerprinted by the reader: any leaf is allowed below them. */
  private static final Set<String> INLINE = Set.of("config", "model");

  /** Members of a config record that the reader writes itself. */
  private static final Set<String> DERIVED = Set.of("counted", "not_counted", "model_not_counted");

  private final Schema schema;
  private final String timeField;
  private final List<String> required;

  MappedType(Schema schema, String timeField, List<String> required) {
    this.schema = schema;
    this.timeField = timeField;
    this.required = required;
  }

  /** The value of the field {@code type} in the public JSON. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> labels() {
    List<String> labels = new ArrayList<>();
    for (MappedType type : values()) {
      labels.add(type.label());
    }
    return labels;
  }

  static @Nullable MappedType of(String label) {
    for (MappedType type : values()) {
      if (type.label().equals(label)) {
        return type;
      }
    }
    return null;
  }

  /** The field on which events of this type are placed in time. */
  String timeField() {
    return timeField;
  }

  List<String> required() {
    return required;
  }

  /** What stands at a path such as {@code workload.steps}, or null when there is no such field. */
  @Nullable FieldTarget target(String path) {
    String[] parts = path.split("\\.", -1);
    if (INLINE.contains(parts[0]) && acceptsInline()) {
      return parts.length > 1 && isComplete(parts) ? FieldTarget.of(FieldTarget.Kind.FREE) : null;
    }
    if (!isComplete(parts) || (this == CONFIG && DERIVED.contains(parts[0]))) {
      return null;
    }
    Schema here = schema;
    for (String part : parts) {
      Schema next = child(here, part);
      if (next == null) {
        return null;
      }
      here = withoutNull(next);
    }
    return targetOf(here);
  }

  private boolean acceptsInline() {
    return this == REQUEST || this == CONFIG || this == HEARTBEAT || this == EVAL;
  }

  private static boolean isComplete(String[] parts) {
    for (String part : parts) {
      if (part.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Schema child(Schema parent, String name) {
    return switch (parent.getType()) {
      case RECORD -> parent.getField(name) == null ? null : parent.getField(name).schema();
      case MAP -> parent.getValueType();
      default -> null;
    };
  }

  private static Schema withoutNull(Schema schema) {
    if (schema.getType() != Schema.Type.UNION) {
      return schema;
    }
    return schema.getTypes().stream()
        .filter(t -> t.getType() != Schema.Type.NULL)
        .findFirst()
        .orElse(schema);
  }

  private @Nullable FieldTarget targetOf(Schema schema) {
    boolean time = schema.getLogicalType() instanceof LogicalTypes.TimestampMicros;
    return switch (schema.getType()) {
      case STRING -> FieldTarget.of(FieldTarget.Kind.TEXT);
      case INT, LONG -> FieldTarget.of(time ? FieldTarget.Kind.TIME : FieldTarget.Kind.WHOLE);
      case DOUBLE -> FieldTarget.of(FieldTarget.Kind.DECIMAL);
      case BOOLEAN -> FieldTarget.of(FieldTarget.Kind.BOOLEAN);
      case ENUM ->
          // an unknown kind of serving event is kept as "other" by the reader
          this == SERVING_EVENT
              ? FieldTarget.of(FieldTarget.Kind.TEXT)
              : FieldTarget.oneOf(symbols(schema));
      case ARRAY ->
          schema.getElementType().getType() == Schema.Type.STRING
              ? FieldTarget.of(FieldTarget.Kind.LIST)
              : null;
      default -> null;
    };
  }

  private static List<String> symbols(Schema schema) {
    return schema.getEnumSymbols().stream()
        .filter(s -> !s.equals("UNKNOWN"))
        .map(s -> s.toLowerCase(Locale.ROOT))
        .toList();
  }

  /** Every fixed path, for hints and documentation; maps and inline objects end in {@code .*}. */
  Collection<String> knownPaths() {
    List<String> paths = new ArrayList<>();
    collect("", schema, paths);
    if (acceptsInline()) {
      paths.add("config.*");
      paths.add("model.*");
    }
    return paths;
  }

  private void collect(String prefix, Schema record, List<String> paths) {
    for (Schema.Field field : record.getFields()) {
      String path = prefix + field.name();
      Schema type = withoutNull(field.schema());
      switch (type.getType()) {
        case RECORD -> collect(path + ".", type, paths);
        case MAP -> paths.add(path + ".*");
        default -> {
          if (target(path) != null) {
            paths.add(path);
          }
        }
      }
    }
  }
}
