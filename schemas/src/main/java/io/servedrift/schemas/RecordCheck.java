package io.servedrift.schemas;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Checks the constraints of a schema on a record that came as Avro: the same ones that the JSON
 * reader applies. On the hot path, so places are only built on the way down to what is nested.
 */
final class RecordCheck {
  private RecordCheck() {}

  /** Adds everything that is wrong; while nothing is, neither places nor texts are built. */
  static void check(RecordPlan plan, SpecificRecord record, Problems problems) {
    if (!holds(plan, record)) {
      report(plan, record, Place.ROOT, problems);
    }
  }

  private static boolean holds(RecordPlan plan, SpecificRecord record) {
    for (RecordPlan.Field field : plan.fields) {
      Object value = record.get(field.pos());
      if (value == null ? !field.nullable() : !holds(field.value(), value)) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(ValuePlan plan, @Nullable Object value) {
    if (!isRight(plan, value)) {
      return false;
    }
    if (plan.record != null && value instanceof SpecificRecord record) {
      return holds(plan.record, record);
    }
    ValuePlan element = plan.element;
    if (element == null) {
      return true;
    }
    if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        if (!holds(element, list.get(i))) {
          return false;
        }
      }
    } else if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      for (Map.Entry<?, ?> e : map.entrySet()) {
        if (!isKey(plan, (String) e.getKey()) || !holds(element, e.getValue())) {
          return false;
        }
      }
    }
    return true;
  }

  private static void report(
      RecordPlan plan, SpecificRecord record, Place place, Problems problems) {
    for (RecordPlan.Field field : plan.fields) {
      Object value = record.get(field.pos());
      if (value == null && !field.nullable()) {
        problems.add(
            RejectReason.MISSING_FIELD,
            place.path(field.name()),
            "(absent)",
            field.value().allowed());
      } else if (value != null) {
        report(field.value(), value, place.member(field.name()), problems);
      }
    }
  }

  private static void report(
      ValuePlan plan, @Nullable Object value, Place place, Problems problems) {
    if (!isRight(plan, value)) {
      problems.add(
          value instanceof Instant ? RejectReason.BAD_TIME : RejectReason.BAD_VALUE,
          place.path(),
          shown(value),
          plan.allowed());
      return;
    }
    if (plan.record != null && value instanceof SpecificRecord record) {
      report(plan.record, record, place, problems);
    }
    ValuePlan element = plan.element;
    if (element == null) {
      return;
    }
    if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        report(element, list.get(i), place.entry(i), problems);
      }
    } else if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> e : map.entrySet()) {
        String key = (String) e.getKey();
        if (!isKey(plan, key)) {
          problems.add(
              RejectReason.BAD_VALUE,
              place.path(),
              "a key of " + key.length() + " characters",
              plan.allowedKeys());
        } else {
          report(element, e.getValue(), place.member(key), problems);
        }
      }
    }
  }

  private static boolean isKey(ValuePlan plan, String key) {
    return !key.isEmpty() && key.length() <= plan.maxLength;
  }

  private static boolean isRight(ValuePlan plan, @Nullable Object value) {
    if (value == null) {
      return false;
    }
    return switch (plan.kind) {
      case INT -> {
        int i = (Integer) value;
        yield i >= plan.min && i <= plan.max;
      }
      case LONG -> {
        long l = (Long) value;
        yield l >= plan.min && l <= plan.max;
      }
      case DOUBLE -> {
        double d = (Double) value;
        // NaN fails both comparisons, infinity one of them.
        yield d >= plan.min && d <= plan.max;
      }
      case STRING -> {
        int length = ((String) value).length();
        yield length >= plan.minLength && length <= plan.maxLength;
      }
      case TIME -> TimeText.isPlausible((Instant) value);
      case ARRAY -> ((List<?>) value).size() <= plan.maxEntries;
      case MAP -> ((Map<?, ?>) value).size() <= plan.maxEntries;
      case BOOLEAN, BYTES, ENUM, RECORD -> true;
    };
  }

  private static String shown(@Nullable Object value) {
    if (value instanceof String s) {
      return Sensitive.lengthOnly(s);
    }
    if (value instanceof List<?> list) {
      return "an array of " + list.size() + " entries";
    }
    if (value instanceof Map<?, ?> map) {
      return "an object of " + map.size() + " entries";
    }
    return String.valueOf(value);
  }
}
