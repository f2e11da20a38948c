package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Walks a schema and a JSON tree together. One reader for all events: a field that is added to a
 * schema needs no code here. Reports every problem; a field that is wrong stays unset in the
 * record, which is then not used.
 */
final class JsonRecordReader {
  private final Problems problems;

  JsonRecordReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * @param elsewhere members that the caller handles: neither read nor counted as unknown
   * @param optional required fields that the caller can compute: their absence is not reported
   */
  SpecificRecord read(
      RecordPlan plan, ObjectNode node, Place place, Set<String> elsewhere, Set<String> optional) {
    SpecificRecord record = plan.newRecord();
    int known = 0;
    for (RecordPlan.Field field : plan.fields) {
      JsonNode value = elsewhere.contains(field.name()) ? null : node.get(field.name());
      if (value != null) {
        known++;
      }
      if (value == null || value.isNull()) {
        absent(field, record, place, optional);
        continue;
      }
      Object read = value(field.value(), value, place.member(field.name()));
      if (read != null) {
        record.put(field.pos(), read);
      }
    }
    for (String name : elsewhere) {
      if (node.has(name)) {
        known++;
      }
    }
    if (node.size() > known) {
      unknown(plan, node, place, elsewhere);
    }
    return record;
  }

  private void unknown(RecordPlan plan, ObjectNode node, Place place, Set<String> elsewhere) {
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      if (plan.field(member.getKey()) == null && !elsewhere.contains(member.getKey())) {
        problems.unknown(place.path(Sensitive.shownName(member.getKey())));
      }
    }
  }

  private void absent(
      RecordPlan.Field field, SpecificRecord record, Place place, Set<String> optional) {
    if (field.required()) {
      if (!optional.contains(field.name())) {
        problems.add(
            RejectReason.MISSING_FIELD,
            place.path(field.name()),
            "(absent)",
            field.value().allowed());
      }
      return;
    }
    if (field.nullable()) {
      return;
    }
    switch (field.value().kind) {
      case ARRAY -> record.put(field.pos(), new ArrayList<>());
      case MAP -> record.put(field.pos(), new HashMap<>());
      default -> record.put(field.pos(), field.fallback());
    }
  }

  private @Nullable Object value(ValuePlan plan, JsonNode node, Place place) {
    return switch (plan.kind) {
      case BOOLEAN -> node.isBoolean() ? (Object) node.booleanValue() : wrong(plan, node, place);
      case INT, LONG -> whole(plan, node, place);
      case DOUBLE -> real(plan, node, place);
      case STRING -> text(plan, node, place);
      case BYTES -> bytes(plan, node, place);
      case TIME -> time(plan, node, place);
      case ENUM -> word(plan, node, place);
      case RECORD -> {
        RecordPlan record = plan.record;
        yield record != null && node instanceof ObjectNode object
            ? read(record, object, place, Set.of(), Set.of())
            : wrong(plan, node, place);
      }
      case ARRAY -> array(plan, node, place);
      case MAP -> map(plan, node, place);
    };
  }

  private @Nullable Object whole(ValuePlan plan, JsonNode node, Place place) {
    if (!node.isNumber()) {
      return wrong(plan, node, place);
    }
    long value;
    if (node.isIntegralNumber()) {
      if (!node.canConvertToLong()) {
        return wrong(plan, node, place);
      }
      value = node.longValue();
    } else {
      // 28.0 is what a language without integers writes.
      double d = node.doubleValue();
      if (d != Math.rint(d) || Math.abs(d) > 9_007_199_254_740_992.0) {
        return wrong(plan, node, place);
      }
      value = (long) d;
    }
    if (value < plan.min || value > plan.max) {
      return wrong(plan, node, place);
    }
    return plan.kind == ValuePlan.Kind.INT ? (Object) (int) value : (Object) value;
  }

  private @Nullable Object real(ValuePlan plan, JsonNode node, Place place) {
    if (!node.isNumber()) {
      return wrong(plan, node, place);
    }
    double d = node.doubleValue();
    return Double.isFinite(d) && d >= plan.min && d <= plan.max
        ? (Object) d
        : wrong(plan, node, place);
  }

  private @Nullable Object text(ValuePlan plan, JsonNode node, Place place) {
    if (!node.isTextual()) {
      return wrong(plan, node, place);
    }
    String s = node.textValue();
    if (s.length() < plan.minLength || s.length() > plan.maxLength) {
      return wrong(plan, node, place);
    }
    if (hasLoneSurrogate(s)) {
      problems.add(
          RejectReason.BAD_VALUE, place.path(), "text with half a character", "valid Unicode");
      return null;
    }
    return s;
  }

  static boolean hasLoneSurrogate(String s) {
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < s.length()
          && Character.isLowSurrogate(s.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Object bytes(ValuePlan plan, JsonNode node, Place place) {
    if (!node.isTextual()) {
      return wrong(plan, node, place);
    }
    try {
      return ByteBuffer.wrap(Base64.getDecoder().decode(node.textValue()));
    } catch (IllegalArgumentException e) {
      return wrong(plan, node, place);
    }
  }

  private @Nullable Object time(ValuePlan plan, JsonNode node, Place place) {
    if (node.isNumber()) {
      double number = node.doubleValue();
      if (TimeText.unitOf(number).equals("milliseconds")) {
        long micros =
            node.isIntegralNumber()
                ? node.longValue() * 1000
                : node.decimalValue().multiply(BigDecimal.valueOf(1000)).longValue();
        return TimeText.ofMicros(micros);
      }
      problems.add(
          RejectReason.BAD_TIME,
          place.path(),
          shown(plan, node),
          Double.isFinite(number)
              ? "epoch milliseconds; as a number it looks like " + TimeText.unitOf(number)
              : plan.allowed());
      return null;
    }
    if (!node.isTextual()) {
      return wrongTime(plan, node, place, plan.allowed());
    }
    long micros = TimeText.parse(node.textValue());
    if (micros == TimeText.NO_ZONE) {
      return wrongTime(
          plan, node, place, "a time with its zone (Z or an offset such as +01:00): it has none");
    }
    if (micros == TimeText.NOT_A_TIME) {
      return wrongTime(plan, node, place, plan.allowed());
    }
    Instant instant = TimeText.ofMicros(micros);
    return TimeText.isPlausible(instant) ? instant : wrongTime(plan, node, place, plan.allowed());
  }

  private @Nullable Object wrongTime(ValuePlan plan, JsonNode node, Place place, String allowed) {
    problems.add(RejectReason.BAD_TIME, place.path(), shown(plan, node), allowed);
    return null;
  }

  private @Nullable Object word(ValuePlan plan, JsonNode node, Place place) {
    Object symbol =
        node.isTextual() ? plan.words.get(node.textValue().toLowerCase(Locale.ROOT)) : null;
    return symbol != null ? symbol : wrong(plan, node, place);
  }

  private @Nullable Object array(ValuePlan plan, JsonNode node, Place place) {
    ValuePlan element = plan.element;
    if (element == null || !node.isArray() || node.size() > plan.maxEntries) {
      return wrong(plan, node, place);
    }
    List<Object> list = new ArrayList<>(node.size());
    boolean complete = true;
    for (int i = 0; i < node.size(); i++) {
      Object read = value(element, node.get(i), place.entry(i));
      if (read == null) {
        complete = false;
      } else {
        list.add(read);
      }
    }
    return complete ? list : null;
  }

  private @Nullable Object map(ValuePlan plan, JsonNode node, Place place) {
    ValuePlan element = plan.element;
    if (element == null || !node.isObject() || node.size() > plan.maxEntries) {
      return wrong(plan, node, place);
    }
    Map<String, Object> map = new HashMap<>();
    boolean complete = true;
    for (Map.Entry<String, JsonNode> e : node.properties()) {
      if (e.getValue().isNull()) {
        continue;
      }
      if (e.getKey().isEmpty()
          || e.getKey().length() > plan.maxLength
          || hasLoneSurrogate(e.getKey())) {
        problems.add(
            RejectReason.BAD_VALUE,
            place.path(),
            "a key of " + e.getKey().length() + " characters",
            plan.allowedKeys());
        complete = false;
        continue;
      }
      JsonNode entry = e.getValue();
      Object read =
          element.kind == ValuePlan.Kind.STRING && (isFiniteNumber(entry) || entry.isBoolean())
              ? entry.asText()
              : value(element, entry, place.member(e.getKey()));
      if (read == null) {
        complete = false;
      } else {
        map.put(e.getKey(), read);
      }
    }
    return complete ? map : null;
  }

  private static boolean isFiniteNumber(JsonNode node) {
    return node.isNumber() && Double.isFinite(node.doubleValue());
  }

  private @Nullable Object wrong(ValuePlan plan, JsonNode node, Place place) {
    problems.add(RejectReason.BAD_VALUE, place.path(), shown(plan, node), plan.allowed());
    return null;
  }

  /** What was found, for people: never a text that can be content. */
  static String shown(ValuePlan plan, JsonNode node) {
    if (node.isObject()) {
      return "an object";
    }
    if (node.isArray()) {
      return "an array of " + node.size() + " entries";
    }
    if (plan.kind == ValuePlan.Kind.STRING && node.isTextual()) {
      return Sensitive.lengthOnly(node.textValue());
    }
    if (node.isTextual()) {
      String s = node.textValue();
      boolean showable =
          Sensitive.isIdentifierLike(s, 40)
              || (plan.kind == ValuePlan.Kind.TIME && s.length() <= 40 && startsWithDigit(s));
      return showable ? '"' + s + '"' : Sensitive.lengthOnly(s);
    }
    String text = node.asText();
    return text.length() <= 40 ? text : text.substring(0, 40) + "...";
  }

  private static boolean startsWithDigit(String s) {
    return !s.isEmpty() && Character.isDigit(s.charAt(0));
  }
}
