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

  static void check(RecordPlan plan, SpecificRecord record, Place place, Problems problems) {
    for (RecordPlan.Field field : plan.fields) {
      Object value = record.get(field.pos());
      if (value == null) {
        if (!field.nullable()) {
          problems.add(
              RejectReason.MISSING_FIELD,
              place.path(field.name()),
              "(absent)",
              field.value().allowed());
        }
      } else if (!isRight(field.value(), value)) {
        problems.add(
            value instanceof Instant ? RejectReason.BAD_TIME : RejectReason.BAD_VALUE,
            place.path(field.name()),
            shown(value),
            field.value().allowed());
      } else {
        inside(field.value(), value, place, field.name(), problems);
      }
    }
  }

  private static void inside(
      ValuePlan plan, Object value, Place place, String name, Problems problems) {
    switch (plan.kind) {
      case RECORD -> {
        if (plan.record != null) {
          check(plan.record, (SpecificRecord) value, place.member(name), problems);
        }
      }
      case ARRAY -> {
        List<?> list = (List<?>) value;
        ValuePlan element = plan.element;
        if (element == null) {
          return;
        }
        for (int i = 0; i < list.size(); i++) {
          Object entry = list.get(i);
          if (element.record != null && entry instanceof SpecificRecord record) {
            check(element.record, record, place.member(name).entry(i), problems);
          } else if (!isRight(element, entry)) {
            problems.add(
                RejectReason.BAD_VALUE,
                place.member(name).entry(i).path(),
                shown(entry),
                element.allowed());
          }
        }
      }
      case MAP -> {
        ValuePlan element = plan.element;
        if (element == null) {
          return;
        }
        for (Map.Entry<?, ?> e : ((Map<?, ?>) value).entrySet()) {
          String key = (String) e.getKey();
          if (key.isEmpty() || key.length() > plan.maxLength) {
            problems.add(
                RejectReason.BAD_VALUE,
                place.path(name),
                "a key of " + key.length() + " characters",
                "keys of 1 to " + plan.maxLength + " characters of valid Unicode");
          } else if (!isRight(element, e.getValue())) {
            problems.add(
                RejectReason.BAD_VALUE,
                place.member(name).member(key).path(),
                shown(e.getValue()),
                element.allowed());
          }
        }
      }
      default -> {
        // A scalar has nothing inside.
      }
    }
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
