package io.servedrift.ingest.files;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a byte stream, ended by LF or CRLF, never holding more than the limit of one line: a
 * longer line is digested while it passes. Not thread-safe.
 */
final class LineReader implements Closeable {
  private static final int LF = '\n';
  private static final int CR = '\r';

  private final InputStream in;
  private final int maxLineBytes;
  private final byte[] buffer = new byte[1 << 16];
  private int position;
  private int end;
  private long number;
  private long bytesRead;

  LineReader(InputStream in, int maxLineBytes) {
    this.in = in;
    this.maxLineBytes = maxLineBytes;
  }

  /** Bytes taken from the (decompressed) stream so far. */
  long bytesRead() {
    return bytesRead;
  }

  /** The next line, or null at the end. */
  @Nullable Line next() throws IOException {
    if (position == end && !fill()) {
      return null;
    }
    number++;
    LineContent content = new LineContent(maxLineBytes);
    do {
      int lf = indexOfLf();
      int stop = lf < 0 ? end : lf;
      content.append(buffer, position, stop - position);
      position = stop;
      if (lf >= 0) {
        position++;
        return content.toLine(number);
      }
    } while (fill());
    return content.toLine(number);
  }

  private int indexOfLf() {
    for (int i = position; i < end; i++) {
      if (buffer[i] == LF) {
        return i;
      }
    }
    return -1;
  }

  private boolean fill() throws IOException {
    position = 0;
    end = 0;
    int n = in.read(buffer);
    if (n <= 0) {
      return false;
    }
    end = n;
    bytesRead += n;
    return true;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /** Bytes of one line, until they are too many: then only their count and digest. */
  private static final class LineContent {
    private final int limit;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream(512);
    private @Nullable MessageDigest digest;
    private long length;
    private boolean pendingCr;

    LineContent(int limit) {
      this.limit = limit;
    }

    void append(byte[] bytes, int from, int count) {
      if (count == 0) {
        return;
      }
      if (pendingCr) {
        store(new byte[] {CR}, 0, 1);
      }
      pendingCr = bytes[from + count - 1] == CR;
      store(bytes, from, pendingCr ? count - 1 : count);
    }

    private void store(byte[] bytes, int from, int count) {
      length += count;
      if (digest == null && length > limit) {
        digest = sha256();
        digest.update(held.toByteArray());
        held.reset();
      }
      if (digest == null) {
        held.write(bytes, from, count);
      } else {
        digest.update(bytes, from, count);
      }
    }

    Line toLine(long number) {
      return digest == null
          ? Line.of(number, held.toByteArray())
          : Line.tooLarge(number, length, HexFormat.of().formatHex(digest.digest()));
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
