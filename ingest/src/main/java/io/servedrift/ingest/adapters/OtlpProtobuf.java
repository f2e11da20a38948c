package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads OTLP's protobuf form into its JSON form: of the messages for traces and logs the members
 * that adapters use, by the numbers of opentelemetry-proto 1.x; other members are passed over. A
 * message may be two bytes and its JSON form a hundred, so a body of more than {@value
 * #MOST_MESSAGES} messages is none. Stateless, thread-safe.
 */
public final class OtlpProtobuf {
  static final int MOST_MESSAGES = 250_000;
  private static final int MAX_DEPTH = 24;

  /** The tag of the only member of both bodies: number 1, with a length. */
  private static final byte FIRST_RESOURCE = 0x0A;

  private static final int TRACE_ID_DIGITS = 32;

  /** How many messages a body may still hold. */
  private static final class Budget {
    private int left = MOST_MESSAGES;
  }

  /** How a member is written. */
  private enum Kind {
    TEXT,
    HEX,
    TIME,
    DOUBLE,
    INT,
    BOOL,
    MESSAGE,
    LIST
  }

  /** A member of a message, of the kind of another message where it is one. */
  private record Member(String name, Kind kind, @Nullable Message message) {}

  /** The messages, with their members by number. */
  private enum Message {
    TRACES,
    LOGS,
    RESOURCE_SPANS,
    RESOURCE_LOGS,
    RESOURCE,
    SCOPE_SPANS,
    SCOPE_LOGS,
    SPAN,
    EVENT,
    STATUS,
    LOG_RECORD,
    KEY_VALUE,
    ANY_VALUE,
    ARRAY_VALUE
  }

  private static final Map<Message, Map<Integer, Member>> MEMBERS =
      Map.ofEntries(
          Map.entry(Message.TRACES, Map.of(1, list("resourceSpans", Message.RESOURCE_SPANS))),
          Map.entry(Message.LOGS, Map.of(1, list("resourceLogs", Message.RESOURCE_LOGS))),
          Map.entry(
              Message.RESOURCE_SPANS,
              Map.of(
                  1, message("resource", Message.RESOURCE),
                  2, list("scopeSpans", Message.SCOPE_SPANS))),
          Map.entry(
              Message.RESOURCE_LOGS,
              Map.of(
                  1, message("resource", Message.RESOURCE),
                  2, list("scopeLogs", Message.SCOPE_LOGS))),
          Map.entry(Message.RESOURCE, Map.of(1, list("attributes", Message.KEY_VALUE))),
          Map.entry(Message.SCOPE_SPANS, Map.of(2, list("spans", Message.SPAN))),
          Map.entry(Message.SCOPE_LOGS, Map.of(2, list("logRecords", Message.LOG_RECORD))),
          Map.entry(
              Message.SPAN,
              Map.of(
                  1, plain("traceId", Kind.HEX),
                  2, plain("spanId", Kind.HEX),
                  5, plain("name", Kind.TEXT),
                  7, plain("startTimeUnixNano", Kind.TIME),
                  8, plain("endTimeUnixNano", Kind.TIME),
                  9, list("attributes", Message.KEY_VALUE),
                  11, list("events", Message.EVENT),
                  15, message("status", Message.STATUS))),
          Map.entry(
              Message.EVENT,
              Map.of(
                  1, plain("timeUnixNano", Kind.TIME),
                  2, plain("name", Kind.TEXT),
                  3, list("attributes", Message.KEY_VALUE))),
          Map.entry(Message.STATUS, Map.of(3, plain("code", Kind.INT))),
          Map.entry(
              Message.LOG_RECORD,
              Map.of(
                  1, plain("timeUnixNano", Kind.TIME),
                  6, list("attributes", Message.KEY_VALUE),
                  9, plain("traceId", Kind.HEX),
                  10, plain("spanId", Kind.HEX),
                  11, plain("observedTimeUnixNano", Kind.TIME),
                  12, plain("eventName", Kind.TEXT))),
          Map.entry(
              Message.KEY_VALUE,
              Map.of(1, plain("key", Kind.TEXT), 2, message("value", Message.ANY_VALUE))),
          Map.entry(
              Message.ANY_VALUE,
              Map.of(
                  1, plain("stringValue", Kind.TEXT),
                  2, plain("boolValue", Kind.BOOL),
                  3, plain("intValue", Kind.INT),
                  4, plain("doubleValue", Kind.DOUBLE),
                  5, message("arrayValue", Message.ARRAY_VALUE))),
          Map.entry(Message.ARRAY_VALUE, Map.of(1, list("values", Message.ANY_VALUE))));

  private OtlpProtobuf() {}

  private static Member plain(String name, Kind kind) {
    return new Member(name, kind, null);
  }

  private static Member message(String name, Message message) {
    return new Member(name, Kind.MESSAGE, message);
  }

  private static Member list(String name, Message message) {
    return new Member(name, Kind.LIST, message);
  }

  /**
   * A body of {@code POST /v1/traces}.
   *
   * @return its JSON form; null when the bytes are none
   */
  public static @Nullable ObjectNode traces(byte[] body) {
    return read(body, Message.TRACES);
  }

  /**
   * A body of {@code POST /v1/logs}.
   *
   * @return its JSON form; null when the bytes are none
   */
  public static @Nullable ObjectNode logs(byte[] body) {
    return read(body, Message.LOGS);
  }

  /**
   * A body of either kind, where nothing beside it says which: they begin alike, but a span has a
   * trace id of 16 bytes (opentelemetry-proto 1.x, {@code trace.proto}) where a log record has a
   * time, and the other way round. One of its items is enough to tell: a time may be absent, and
   * what a single one lacks is no fault of the others.
   *
   * @return its JSON form; null when the bytes are none, or hold neither spans nor log records
   */
  static @Nullable ObjectNode either(byte[] body) {
    if (!mayBeEither(body)) {
      return null;
    }
    ObjectNode traces = traces(body);
    if (traces != null
        && any(traces, "resourceSpans", "scopeSpans", "spans", OtlpProtobuf::isSpan)) {
      return traces;
    }
    ObjectNode logs = logs(body);
    return logs != null
            && any(logs, "resourceLogs", "scopeLogs", "logRecords", OtlpProtobuf::isLogRecord)
        ? logs
        : null;
  }

  /** Whether bytes begin as such a body does, and JSON does not. */
  static boolean mayBeEither(byte[] body) {
    return body.length > 0 && body[0] == FIRST_RESOURCE;
  }

  private static boolean isSpan(JsonNode span) {
    return span.path("traceId").asText().length() == TRACE_ID_DIGITS;
  }

  private static boolean isLogRecord(JsonNode record) {
    return record.has("timeUnixNano") || record.has("observedTimeUnixNano");
  }

  private static boolean any(
      ObjectNode body, String resources, String scopes, String items, Predicate<JsonNode> one) {
    for (JsonNode resource : body.path(resources)) {
      for (JsonNode scope : resource.path(scopes)) {
        for (JsonNode item : scope.path(items)) {
          if (one.test(item)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static @Nullable ObjectNode read(byte[] body, Message message) {
    try {
      return read(ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN), message, new Budget(), 1);
    } catch (Malformed e) {
      return null;
    }
  }

  /** Carries no stack: broken bodies are usual. */
  private static final class Malformed extends Exception {
    Malformed() {
      super("not protobuf", null, false, false);
    }
  }

  private static ObjectNode read(ByteBuffer in, Message message, Budget budget, int depth)
      throws Malformed {
    if (depth > MAX_DEPTH || budget.left-- <= 0) {
      throw new Malformed();
    }
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    Map<Integer, Member> members = MEMBERS.getOrDefault(message, Map.of());
    while (in.hasRemaining()) {
      long tag = varint(in);
      Member member = members.get((int) Math.min(tag >>> 3, Integer.MAX_VALUE));
      member(in, (int) (tag & 7), member, object, budget, depth);
    }
    return object;
  }

  private static void member(
      ByteBuffer in, int wire, @Nullable Member member, ObjectNode object, Budget budget, int depth)
      throws Malformed {
    switch (wire) {
      case 0 -> {
        long value = varint(in);
        if (member != null && member.kind() == Kind.INT) {
          object.put(member.name(), value);
        } else if (member != null && member.kind() == Kind.BOOL) {
          object.put(member.name(), value != 0);
        }
      }
      case 1 -> {
        require(in, 8);
        long bits = in.getLong();
        if (member != null && member.kind() == Kind.DOUBLE) {
          object.put(member.name(), Double.longBitsToDouble(bits));
        } else if (member != null && member.kind() == Kind.TIME) {
          object.put(member.name(), Long.toUnsignedString(bits));
        }
      }
      case 2 -> bytes(slice(in), member, object, budget, depth);
      case 5 -> {
        require(in, 4);
        in.getInt();
      }
      default -> throw new Malformed();
    }
  }

  private static void bytes(
      ByteBuffer bytes, @Nullable Member member, ObjectNode object, Budget budget, int depth)
      throws Malformed {
    if (member == null) {
      return;
    }
    Message message = member.message();
    if (message != null && member.kind() == Kind.LIST) {
      ArrayNode list =
          object.get(member.name()) instanceof ArrayNode there
              ? there
              : object.putArray(member.name());
      list.add(read(bytes, message, budget, depth + 1));
    } else if (message != null) {
      object.set(member.name(), read(bytes, message, budget, depth + 1));
    } else if (member.kind() == Kind.TEXT) {
      object.put(member.name(), StandardCharsets.UTF_8.decode(bytes).toString());
    } else if (member.kind() == Kind.HEX) {
      byte[] raw = new byte[bytes.remaining()];
      bytes.get(raw);
      object.put(member.name(), HexFormat.of().formatHex(raw));
    }
  }

  private static ByteBuffer slice(ByteBuffer in) throws Malformed {
    long length = varint(in);
    if (length < 0 || length > in.remaining()) {
      throw new Malformed();
    }
    ByteBuffer part = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.position() + (int) length);
    return part;
  }

  private static long varint(ByteBuffer in) throws Malformed {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      require(in, 1);
      byte b = in.get();
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new Malformed();
  }

  private static void require(ByteBuffer in, int bytes) throws Malformed {
    if (in.remaining() < bytes) {
      throw new Malformed();
    }
  }
}
