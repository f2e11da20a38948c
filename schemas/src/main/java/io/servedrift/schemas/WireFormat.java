package io.servedrift.schemas;

import org.jspecify.annotations.Nullable;

/** How a payload is framed, told by its first bytes. */
public enum WireFormat {
  /** A JSON object, possibly after white space or a byte order mark. */
  JSON,
  /**
   * Avro single-object encoding: {@code C3 01}, the schema's CRC-64-AVRO (little-endian), the body.
   */
  SINGLE_OBJECT,
  /** Schema registry framing: {@code 00}, the schema id as 4 bytes (big-endian), the body. */
  REGISTRY,
  /** Anything else, the empty payload included. */
  UNKNOWN;

  /** Tells the framing; looks at leading white space and at most three more bytes. Never fails. */
  public static WireFormat detect(byte @Nullable [] payload) {
    if (payload == null || payload.length == 0) {
      return UNKNOWN;
    }
    if (payload[0] == (byte) 0xC3) {
      return payload.length > 1 && payload[1] == 1 ? SINGLE_OBJECT : UNKNOWN;
    }
    if (payload[0] == 0) {
      return payload.length >= 5 ? REGISTRY : UNKNOWN;
    }
    int i = 0;
    if (payload.length >= 3
        && payload[0] == (byte) 0xEF
        && payload[1] == (byte) 0xBB
        && payload[2] == (byte) 0xBF) {
      i = 3;
    }
    while (i < payload.length && isJsonSpace(payload[i])) {
      i++;
    }
    return i < payload.length && (payload[i] == '{' || payload[i] == '[') ? JSON : UNKNOWN;
  }

  private static boolean isJsonSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
