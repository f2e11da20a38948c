package io.servedrift.schemas;

import io.servedrift.schemas.avro.ConfigRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;

/**
 * Fixed records with every field set, or with the optional ones left out; made from the schema
 * alone.
 */
final class Samples {
  private static final Instant BASE = Instant.parse("2026-11-30T10:00:00.123456Z");

  private Samples() {}

  static SpecificRecord full(EventType type) {
    return make(type, true);
  }

  static SpecificRecord small(EventType type) {
    return make(type, false);
  }

  private static SpecificRecord make(EventType type, boolean full) {
    SpecificRecord record = record(type.plan(), full);
    if (record instanceof ConfigRecord c) {
      ConfigFingerprint.Fingerprint f =
          ConfigFingerprint.ofConfig(
              Given.json("{'batching':{'max_batch_size':8},'colour':'red'}"));
      ConfigFingerprint.Fingerprint m =
          ConfigFingerprint.ofModel(Given.json("{'name':'flux-dev','path':'/m'}"));
      c.setConfigId(f.id());
      c.setCounted(f.counted());
      c.setNotCounted(f.notCounted());
      c.setModelId(full ? m.id() : null);
      c.setModel(full ? m.counted() : null);
      c.setModelNotCounted(full ? m.notCounted() : null);
    }
    return record;
  }

  private static SpecificRecord record(RecordPlan plan, boolean full) {
    SpecificRecord r = plan.newRecord();
    for (RecordPlan.Field f : plan.fields) {
      if (full || !f.nullable()) {
        r.put(f.pos(), value(f.value(), f.pos(), full));
      }
    }
    return r;
  }

  private static Object value(ValuePlan v, int i, boolean full) {
    return switch (v.kind) {
      case BOOLEAN -> full;
      case INT -> (int) Math.min(v.max, i + 1);
      case LONG -> (long) (i + 1) << 33;
      case DOUBLE -> Math.min(v.max, (i + 1) / 32.0);
      case STRING -> "text-" + i + (full ? "-\u00e9" : "");
      case BYTES -> ByteBuffer.wrap(new byte[] {1, (byte) i, -1});
      case TIME -> BASE.plusMillis(i);
      case ENUM -> v.words.get(v.words.keySet().toArray(new String[0])[1]);
      case RECORD -> record(v.record, full);
      case ARRAY ->
          full ? List.of(value(v.element, i, true), value(v.element, i + 1, true)) : List.of();
      case MAP -> full ? new TreeMap<>(Map.of("a", value(v.element, i, true))) : Map.of();
    };
  }
}
