package io.servedrift.schemas;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** A record schema compiled for reading, checking and writing; immutable and shared. */
final class RecordPlan {
  private static final Map<String, RecordPlan> CACHE = new ConcurrentHashMap<>();

  /**
   * One field.
   *
   * @param required absent is an error in JSON: no default in the schema, or marked {@code
   *     required} there
   */
  record Field(
      String name,
      int pos,
      ValuePlan value,
      boolean nullable,
      boolean required,
      @Nullable Object fallback) {}

  final Schema schema;
  final Class<?> type;
  final Field[] fields;
  private final Map<String, Field> byName = new HashMap<>();

  private RecordPlan(Schema schema) {
    AvroTrust.grant();
    this.schema = schema;
    this.type = SpecificData.get().getClass(schema);
    List<Schema.Field> declared = schema.getFields();
    this.fields = new Field[declared.size()];
    for (Schema.Field f : declared) {
      Schema s = f.schema();
      boolean nullable = s.isNullable();
      if (s.isUnion()) {
        s = s.getTypes().get(1);
      }
      ValuePlan value = ValuePlan.of(s, f);
      boolean required = !f.hasDefaultValue() || Boolean.TRUE.equals(f.getObjectProp("required"));
      Object fallback =
          f.hasDefaultValue()
                  && value.kind != ValuePlan.Kind.ARRAY
                  && value.kind != ValuePlan.Kind.MAP
              ? SpecificData.get().getDefaultValue(f)
              : null;
      Field field = new Field(f.name(), f.pos(), value, nullable, required, fallback);
      fields[f.pos()] = field;
      byName.put(f.name(), field);
    }
  }

  static RecordPlan of(Schema schema) {
    RecordPlan known = CACHE.get(schema.getFullName());
    if (known != null) {
      return known;
    }
    // Not computeIfAbsent: records hold records.
    RecordPlan plan = new RecordPlan(schema);
    RecordPlan raced = CACHE.putIfAbsent(schema.getFullName(), plan);
    return raced == null ? plan : raced;
  }

  private RecordPlan(RecordPlan whole, Field only) {
    this.schema = whole.schema;
    this.type = whole.type;
    this.fields = new Field[] {only};
    byName.put(only.name(), only);
  }

  /** A plan that checks one field alone. */
  RecordPlan only(String name) {
    Field field = byName.get(name);
    if (field == null) {
      throw new IllegalArgumentException(name + ": must be a field of " + schema.getFullName());
    }
    return new RecordPlan(this, field);
  }

  @Nullable Field field(String name) {
    return byName.get(name);
  }

  SpecificRecord newRecord() {
    return (SpecificRecord) SpecificData.newInstance(type, schema);
  }
}
