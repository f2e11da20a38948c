package io.servedrift.schemas;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.jspecify.annotations.Nullable;

/**
 * What may stand in one place of a record, compiled once from the schema and the constraint
 * properties of its field ({@code min max minLength maxLength maxEntries}). On a map or an array
 * the properties apply to the entries; {@code maxLength} applies to the keys of a map too.
 */
final class ValuePlan {
  enum Kind {
    BOOLEAN,
    INT,
    LONG,
    DOUBLE,
    STRING,
    BYTES,
    TIME,
    ENUM,
    RECORD,
    ARRAY,
    MAP
  }

  /** Keys of maps without an own limit. */
  private static final int DEFAULT_MAX_KEY = 128;

  final Kind kind;
  final Schema schema;
  final double min;
  final double max;
  final int minLength;
  final int maxLength;
  final int maxEntries;
  final @Nullable ValuePlan element;
  final @Nullable RecordPlan record;
  final Map<String, Object> words;

  private ValuePlan(Schema schema, JsonProperties field, boolean inner) {
    this.schema = schema;
    this.kind = kindOf(schema);
    double lowest =
        kind == Kind.INT
            ? Integer.MIN_VALUE
            : kind == Kind.LONG ? Long.MIN_VALUE : -Double.MAX_VALUE;
    double highest =
        kind == Kind.INT
            ? Integer.MAX_VALUE
            : kind == Kind.LONG ? Long.MAX_VALUE : Double.MAX_VALUE;
    this.min = number(field, "min", lowest);
    this.max = number(field, "max", highest);
    this.minLength = inner ? 0 : (int) number(field, "minLength", 0);
    this.maxLength =
        (int) number(field, "maxLength", kind == Kind.MAP ? DEFAULT_MAX_KEY : Integer.MAX_VALUE);
    this.maxEntries = (int) number(field, "maxEntries", Integer.MAX_VALUE);
    this.element =
        switch (kind) {
          case ARRAY -> new ValuePlan(schema.getElementType(), field, true);
          case MAP -> new ValuePlan(schema.getValueType(), field, true);
          default -> null;
        };
    this.record = kind == Kind.RECORD ? RecordPlan.of(schema) : null;
    this.words = kind == Kind.ENUM ? words(schema) : Map.of();
  }

  static ValuePlan of(Schema schema, JsonProperties field) {
    return new ValuePlan(schema, field, false);
  }

  private static Kind kindOf(Schema schema) {
    return switch (schema.getType()) {
      case BOOLEAN -> Kind.BOOLEAN;
      case INT -> Kind.INT;
      case LONG ->
          schema.getLogicalType() instanceof LogicalTypes.TimestampMicros ? Kind.TIME : Kind.LONG;
      case DOUBLE -> Kind.DOUBLE;
      case STRING -> Kind.STRING;
      case BYTES -> Kind.BYTES;
      case ENUM -> Kind.ENUM;
      case RECORD -> Kind.RECORD;
      case ARRAY -> Kind.ARRAY;
      case MAP -> Kind.MAP;
      default -> throw new IllegalStateException("schema type not used by our events: " + schema);
    };
  }

  private static double number(JsonProperties field, String name, double otherwise) {
    return field.getObjectProp(name) instanceof Number n ? n.doubleValue() : otherwise;
  }

  private static Map<String, Object> words(Schema schema) {
    Map<String, Object> words = new LinkedHashMap<>();
    for (String symbol : schema.getEnumSymbols()) {
      words.put(symbol.toLowerCase(Locale.ROOT), SpecificData.get().createEnum(symbol, schema));
    }
    return words;
  }

  /** What is allowed here, for people. */
  String allowed() {
    return switch (kind) {
      case BOOLEAN -> "true or false";
      case INT, LONG -> "a whole number" + range();
      case DOUBLE -> "a finite number" + range();
      case STRING ->
          "text"
              + (minLength > 0 ? ", not empty" : "")
              + (maxLength < Integer.MAX_VALUE ? ", at most " + maxLength + " characters" : "");
      case BYTES -> "bytes in base64";
      case TIME ->
          "a time between 2000 and 2100: ISO-8601 with zone (2026-11-30T10:00:00.120Z) or epoch milliseconds";
      case ENUM ->
          words.keySet().stream()
              .filter(w -> !w.equals("unknown"))
              .collect(Collectors.joining(", ", "one of ", ""));
      case RECORD -> "an object";
      case ARRAY ->
          "an array"
              + (maxEntries < Integer.MAX_VALUE ? " of at most " + maxEntries + " entries" : "");
      case MAP ->
          "an object"
              + (maxEntries < Integer.MAX_VALUE ? " of at most " + maxEntries + " entries" : "");
    };
  }

  /** What is allowed as a key of this map, for people. */
  String allowedKeys() {
    return "keys of 1 to " + maxLength + " characters of valid Unicode";
  }

  private String range() {
    boolean low =
        min
            > (kind == Kind.INT
                ? Integer.MIN_VALUE
                : kind == Kind.LONG ? Long.MIN_VALUE : -Double.MAX_VALUE);
    boolean high =
        max
            < (kind == Kind.INT
                ? Integer.MAX_VALUE
                : kind == Kind.LONG ? Long.MAX_VALUE : Double.MAX_VALUE);
    if (low && high) {
      return " between " + plain(min) + " and " + plain(max);
    }
    if (low) {
      return ", at least " + plain(min);
    }
    if (high) {
      return ", at most " + plain(max);
    }
    return kind == Kind.INT ? " of 32 bits" : kind == Kind.LONG ? " of 64 bits" : "";
  }

  private static String plain(double d) {
    return d == Math.rint(d) ? Long.toString((long) d) : Double.toString(d);
  }
}
