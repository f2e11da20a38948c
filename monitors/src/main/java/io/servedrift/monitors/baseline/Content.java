package io.servedrift.monitors.baseline;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Canonical bytes of baselines and detector states: big-endian, doubles by their bits, lengths
 * before content. Equal content gives equal bytes, so their SHA-256 names it.
 */
public final class Content {
  private Content() {}

  /** SHA-256 in hexadecimal. */
  public static String id(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256: every Java platform has it", e);
    }
  }

  static List<Double> listOf(double[] values) {
    List<Double> list = new ArrayList<>(values.length);
    for (double value : values) {
      list.add(value);
    }
    return List.copyOf(list);
  }

  /** Writes. Not thread-safe. */
  public static final class Writer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private interface Put {
      void run() throws IOException;
    }

    private void put(Put step) {
      try {
        step.run();
      } catch (IOException e) {
        throw new UncheckedIOException("writing to memory", e);
      }
    }

    /** A double, by its bits. */
    public void number(double value) {
      put(() -> out.writeDouble(value));
    }

    /** A long. */
    public void whole(long value) {
      put(() -> out.writeLong(value));
    }

    /** An int. */
    public void count(int value) {
      put(() -> out.writeInt(value));
    }

    /** A text in modified UTF-8, at most 65,535 bytes. */
    public void text(String value) {
      put(() -> out.writeUTF(value));
    }

    /** Doubles, with their number before them. */
    public void doubles(double[] values) {
      count(values.length);
      for (double value : values) {
        number(value);
      }
    }

    /** Bytes, with their number before them. */
    public void block(byte[] block) {
      count(block.length);
      put(() -> out.write(block));
    }

    /** What was written. */
    public byte[] bytes() {
      return bytes.toByteArray();
    }
  }

  /** Reads what a {@link Writer} wrote. Not thread-safe. */
  public static final class Reader {
    private final DataInputStream in;
    private final int length;

    /** Reads from the first byte on. */
    public Reader(byte[] bytes) {
      in = new DataInputStream(new ByteArrayInputStream(bytes));
      length = bytes.length;
    }

    private interface Get<T> {
      T run() throws IOException;
    }

    private static <T> T get(Get<T> step) {
      try {
        return step.run();
      } catch (IOException e) {
        throw new IllegalArgumentException("content: ends too early or is no content", e);
      }
    }

    /** A double. */
    public double number() {
      return get(in::readDouble);
    }

    /** A long. */
    public long whole() {
      return get(in::readLong);
    }

    /** An int. */
    public int count() {
      return get(in::readInt);
    }

    /** A text. */
    public String text() {
      return get(in::readUTF);
    }

    /** Doubles with their number before them. */
    public double[] doubles() {
      int count = count();
      if (count < 0 || count > length / Double.BYTES) {
        throw new IllegalArgumentException(
            "content: " + count + " numbers announced in " + length + " bytes");
      }
      double[] values = new double[count];
      for (int i = 0; i < count; i++) {
        values[i] = number();
      }
      return values;
    }

    /** Bytes with their number before them. */
    public byte[] block() {
      int count = count();
      if (count < 0 || count > length) {
        throw new IllegalArgumentException("content: " + count + " bytes announced in " + length);
      }
      byte[] block = new byte[count];
      get(
          () -> {
            in.readFully(block);
            return block;
          });
      return block;
    }

    /** Fails unless everything was read. */
    public void end() {
      if (get(in::available) > 0) {
        throw new IllegalArgumentException("content: bytes are left after its end");
      }
    }
  }
}
