package io.servedrift.schemas;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.avro.AvroTypeException;
import org.apache.avro.io.Decoder;
import org.apache.avro.util.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * Avro binary decoding from one array. Unlike {@code BinaryDecoder} it never believes a length:
 * nothing is allocated for more bytes or entries than the rest of the payload can hold. Not
 * thread-safe.
 */
final class ByteDecoder extends Decoder {
  private byte[] buf = new byte[0];
  private int pos;

  ByteDecoder reset(byte[] bytes, int from) {
    buf = bytes;
    pos = from;
    return this;
  }

  int remaining() {
    return buf.length - pos;
  }

  private int next() throws EOFException {
    if (pos >= buf.length) {
      throw new EOFException("cut off after " + buf.length + " bytes");
    }
    return buf[pos++];
  }

  private int take(long length) throws IOException {
    if (length < 0 || length > remaining()) {
      throw new EOFException(
          "length " + length + " exceeds the remaining " + remaining() + " bytes");
    }
    int start = pos;
    pos += (int) length;
    return start;
  }

  @Override
  public void readNull() {}

  @Override
  public boolean readBoolean() throws IOException {
    int b = next();
    if (b != 0 && b != 1) {
      throw new IOException("a boolean is 0 or 1");
    }
    return b == 1;
  }

  @Override
  public int readInt() throws IOException {
    long l = readLong();
    if (l != (int) l) {
      throw new IOException("a whole number of more than 32 bits");
    }
    return (int) l;
  }

  @Override
  public long readLong() throws IOException {
    long n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = next();
      n |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return (n >>> 1) ^ -(n & 1);
      }
    }
    throw new IOException("a whole number of more than 64 bits");
  }

  @Override
  public float readFloat() throws IOException {
    int p = take(4);
    return Float.intBitsToFloat(
        (buf[p] & 0xff)
            | (buf[p + 1] & 0xff) << 8
            | (buf[p + 2] & 0xff) << 16
            | (buf[p + 3] & 0xff) << 24);
  }

  @Override
  public double readDouble() throws IOException {
    int p = take(8);
    long bits = 0;
    for (int i = 7; i >= 0; i--) {
      bits = bits << 8 | (buf[p + i] & 0xffL);
    }
    return Double.longBitsToDouble(bits);
  }

  @Override
  public Utf8 readString(@Nullable Utf8 old) throws IOException {
    return new Utf8(readString());
  }

  @Override
  public String readString() throws IOException {
    long length = readLong();
    int p = take(length);
    return new String(buf, p, (int) length, StandardCharsets.UTF_8);
  }

  @Override
  public void skipString() throws IOException {
    take(readLong());
  }

  @Override
  public ByteBuffer readBytes(@Nullable ByteBuffer old) throws IOException {
    long length = readLong();
    int p = take(length);
    byte[] copy = new byte[(int) length];
    System.arraycopy(buf, p, copy, 0, copy.length);
    return ByteBuffer.wrap(copy);
  }

  @Override
  public void skipBytes() throws IOException {
    take(readLong());
  }

  @Override
  public void readFixed(byte[] bytes, int start, int length) throws IOException {
    System.arraycopy(buf, take(length), bytes, start, length);
  }

  @Override
  public void skipFixed(int length) throws IOException {
    take(length);
  }

  @Override
  public int readEnum() throws IOException {
    int ordinal = readInt();
    if (ordinal < 0) {
      throw new AvroTypeException("enum position " + ordinal);
    }
    return ordinal;
  }

  /** Entries of our schemas take at least one byte each, so a count beyond the rest is a lie. */
  private long block() throws IOException {
    long count = readLong();
    if (count < 0) {
      readLong();
      count = -count;
    }
    if (count < 0 || count > remaining()) {
      throw new EOFException(count + " entries in the remaining " + remaining() + " bytes");
    }
    return count;
  }

  @Override
  public long readArrayStart() throws IOException {
    return block();
  }

  @Override
  public long arrayNext() throws IOException {
    return block();
  }

  @Override
  public long skipArray() throws IOException {
    return skipBlocks();
  }

  @Override
  public long readMapStart() throws IOException {
    return block();
  }

  @Override
  public long mapNext() throws IOException {
    return block();
  }

  @Override
  public long skipMap() throws IOException {
    return skipBlocks();
  }

  private long skipBlocks() throws IOException {
    long count = readLong();
    while (count < 0) {
      take(readLong());
      count = readLong();
    }
    if (count > remaining()) {
      throw new EOFException(count + " entries in the remaining " + remaining() + " bytes");
    }
    return count;
  }

  @Override
  public int readIndex() throws IOException {
    return readInt();
  }
}
