package io.servedrift.monitors.ops;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A protobuf message being written: fields in wire format. Encodes what the metrics need and no
 * more. Not thread-safe.
 */
final class ProtobufMessage {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int DOUBLE_BYTES = Double.BYTES;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Field of type {@code string}. */
  ProtobufMessage text(int field, String value) {
    return delimited(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Field that is a message itself. */
  ProtobufMessage message(int field, ProtobufMessage value) {
    return delimited(field, value.bytes.toByteArray());
  }

  /** Field of type {@code uint32}, {@code uint64}, {@code int64} or of an enumeration. */
  ProtobufMessage whole(int field, long value) {
    tag(field, VARINT);
    varint(value);
    return this;
  }

  /** Field of type {@code sint32} or {@code sint64}: the sign in the lowest bit. */
  ProtobufMessage signed(int field, long value) {
    return whole(field, (value << 1) ^ (value >> (Long.SIZE - 1)));
  }

  /** Field of type {@code double}. */
  ProtobufMessage number(int field, double value) {
    tag(field, FIXED_64);
    long bits = Double.doubleToRawLongBits(value);
    for (int i = 0; i < DOUBLE_BYTES; i++) {
      bytes.write((int) (bits >>> (Byte.SIZE * i)));
    }
    return this;
  }

  /** Writes the message with its length before it. */
  void writeDelimitedTo(OutputStream out) throws IOException {
    ProtobufMessage head = new ProtobufMessage();
    head.varint(bytes.size());
    head.bytes.writeTo(out);
    bytes.writeTo(out);
  }

  private ProtobufMessage delimited(int field, byte[] content) {
    tag(field, LENGTH_DELIMITED);
    varint(content.length);
    bytes.write(content, 0, content.length);
    return this;
  }

  private void tag(int field, int wireType) {
    varint((long) field << 3 | wireType);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes.write((int) ((rest & 0x7F) | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }
}
