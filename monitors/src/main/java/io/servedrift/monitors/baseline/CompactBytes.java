package io.servedrift.monitors.baseline;

import java.util.Arrays;

/**
 * Whole numbers in as few bytes as they need: seven bits each, the lowest first, as Protocol
 * Buffers have them; signed ones in zigzag order (0, -1, 1, -2, ...).
 */
final class CompactBytes {
  private static final int MOST_BYTES = 10;

  private CompactBytes() {}

  /** Writes. Not thread-safe. */
  static final class Sink {
    private byte[] bytes = new byte[256];
    private int used;

    void unsigned(long value) {
      if (used + MOST_BYTES > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
      }
      long left = value;
      while ((left & ~0x7FL) != 0) {
        bytes[used++] = (byte) (left | 0x80);
        left >>>= 7;
      }
      bytes[used++] = (byte) left;
    }

    void signed(long value) {
      unsigned((value << 1) ^ (value >> 63));
    }

    void fixed(double value) {
      long bits = Double.doubleToLongBits(value);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        raw((byte) (bits >>> shift));
      }
    }

    void block(byte[] block) {
      unsigned(block.length);
      for (byte one : block) {
        raw(one);
      }
    }

    private void raw(byte one) {
      if (used == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
      }
      bytes[used++] = one;
    }

    byte[] bytes() {
      return Arrays.copyOf(bytes, used);
    }
  }

  /** Reads what a {@link Sink} wrote. Not thread-safe. */
  static final class Source {
    private final byte[] bytes;
    private int at;

    Source(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean isAtEnd() {
      return at == bytes.length;
    }

    private byte next() {
      if (at == bytes.length) {
        throw new IllegalArgumentException("content: ends after " + at + " bytes, too early");
      }
      return bytes[at++];
    }

    long unsigned() {
      long value = 0;
      int shift = 0;
      byte part = next();
      while (part < 0 && shift < 7 * (MOST_BYTES - 1)) {
        value |= (long) (part & 0x7F) << shift;
        shift += 7;
        part = next();
      }
      return value | (long) (part & 0x7F) << shift;
    }

    /** A number that must be small: a length or an index. */
    int small() {
      long value = unsigned();
      if (value < 0 || value > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("content: number " + value + " is not small");
      }
      return (int) value;
    }

    long signed() {
      long value = unsigned();
      return (value >>> 1) ^ -(value & 1);
    }

    double fixed() {
      long bits = 0;
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        bits |= (next() & 0xFFL) << shift;
      }
      return Double.longBitsToDouble(bits);
    }

    byte[] block() {
      int length = small();
      if (length > bytes.length - at) {
        throw new IllegalArgumentException("content: block of " + length + " bytes, too long");
      }
      at += length;
      return Arrays.copyOfRange(bytes, at - length, at);
    }
  }
}
