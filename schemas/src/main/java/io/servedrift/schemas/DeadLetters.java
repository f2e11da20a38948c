package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.DeadLetter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes dead letters: what could not be used, with the reason, without what must not be kept. Of
 * JSON and of readable Avro the redacted JSON is kept up to 64 KiB: texts stay only where they look
 * like identifiers, and never under a name that can hold prompts, images or secrets. Of everything
 * else only length and SHA-256 are kept. Thread-safe.
 */
public final class DeadLetters {
  /** Most of an input that is kept, bytes. */
  static final int KEPT_BYTES = 64 * 1024;

  /** Larger inputs are not even parsed. */
  private static final int PARSED_BYTES = 4 * 1024 * 1024;

  private static final int LONGEST_KNOWN = 256;
  private static final int LONGEST_UNKNOWN = 64;
  private static final ObjectReader JSON =
      StrictJson.reader(new ReadLimits(PARSED_BYTES, ReadLimits.DEFAULT.maxDepth()));

  private DeadLetters() {}

  /**
   * A dead letter.
   *
   * @param payload the input; null counts as empty
   * @param origin {@code topic-partition@offset}, {@code file:line} or {@code HTTP}
   * @param at event time where known, else that of the record or of the reading
   * @param raw keep the first 64 KiB as they are, in base64 if they are not UTF-8: only when the
   *     operator asked for it
   */
  public static DeadLetter of(
      byte @Nullable [] payload, Reading.Rejected why, String origin, Instant at, boolean raw) {
    byte[] bytes = payload == null ? new byte[0] : payload;
    DeadLetter letter = new DeadLetter();
    letter.setAt(at);
    letter.setReason(why.reason());
    letter.setDetail(why.detail());
    letter.setOrigin(origin);
    letter.setLength(bytes.length);
    letter.setSha256(CanonicalJson.sha256(bytes));
    letter.setContent(raw ? raw(bytes) : redacted(bytes));
    return letter;
  }

  private static @Nullable String redacted(byte[] bytes) {
    if (bytes.length > PARSED_BYTES) {
      return null;
    }
    JsonNode tree;
    switch (WireFormat.detect(bytes)) {
      case JSON -> {
        try {
          tree = JSON.readTree(bytes);
        } catch (IOException e) {
          return null;
        }
      }
      case SINGLE_OBJECT -> {
        try {
          tree = EventJson.toJson(EventCodec.decode(bytes));
        } catch (MalformedEventException e) {
          return null;
        }
      }
      default -> {
        return null;
      }
    }
    JsonNode word = tree.get("type");
    EventType type = word != null && word.isTextual() ? EventType.ofWord(word.textValue()) : null;
    JsonNode kept =
        tree instanceof ObjectNode object
            ? object(object, type == null ? null : type.plan())
            : unknown(tree, false);
    return cut(kept.toString());
  }

  private static ObjectNode object(ObjectNode from, @Nullable RecordPlan plan) {
    ObjectNode kept = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> e : from.properties()) {
      RecordPlan.Field field = plan == null ? null : plan.field(e.getKey());
      String name =
          Sensitive.isIdentifierLike(e.getKey(), LONGEST_UNKNOWN)
              ? e.getKey()
              : "(" + Sensitive.lengthOnly(e.getKey()) + ")";
      kept.set(
          name,
          field != null
              ? known(field.value(), e.getKey(), e.getValue())
              : unknown(e.getValue(), Sensitive.isContentName(e.getKey())));
    }
    return kept;
  }

  private static JsonNode known(ValuePlan plan, String name, JsonNode value) {
    if (value instanceof ObjectNode object) {
      return plan.record != null ? object(object, plan.record) : object(object, null);
    }
    if (value instanceof ArrayNode array) {
      ArrayNode kept = JsonNodeFactory.instance.arrayNode();
      for (JsonNode entry : array) {
        kept.add(
            plan.element != null
                ? known(plan.element, name, entry)
                : unknown(entry, Sensitive.isContentName(name)));
      }
      return kept;
    }
    return value.isTextual() ? text(value, LONGEST_KNOWN) : value;
  }

  private static JsonNode unknown(JsonNode value, boolean content) {
    if (value.isTextual()) {
      return content ? redaction(value.textValue()) : text(value, LONGEST_UNKNOWN);
    }
    if (value.isContainerNode() && content) {
      return JsonNodeFactory.instance.textNode(
          "[redacted: " + (value.isArray() ? "array]" : "object]"));
    }
    if (value instanceof ObjectNode object) {
      return object(object, null);
    }
    if (value instanceof ArrayNode array) {
      ArrayNode kept = JsonNodeFactory.instance.arrayNode();
      for (JsonNode entry : array) {
        kept.add(unknown(entry, false));
      }
      return kept;
    }
    return value;
  }

  private static JsonNode text(JsonNode value, int longest) {
    return Sensitive.isIdentifierLike(value.textValue(), longest)
        ? value
        : redaction(value.textValue());
  }

  private static JsonNode redaction(String text) {
    return JsonNodeFactory.instance.textNode("[redacted: " + text.length() + " characters]");
  }

  private static String raw(byte[] bytes) {
    int length = Math.min(bytes.length, KEPT_BYTES);
    // A cut may fall into a character: up to three bytes are given up for it.
    for (int n = length; n >= 0 && n > length - 4; n--) {
      try {
        return StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .decode(ByteBuffer.wrap(bytes, 0, n))
            .toString();
      } catch (CharacterCodingException e) {
        if (length == bytes.length) {
          break;
        }
      }
    }
    return "base64:" + Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes, length));
  }

  private static String cut(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return utf8.length <= KEPT_BYTES ? text : raw(utf8);
  }
}
