package io.servedrift.ingest.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request body within its limit and in time, gzip unpacked on the way and never beyond the
 * limit.
 */
final class RequestBody {

  /** How much of a body that is too large is read and thrown away, so that the answer arrives. */
  private static final long DRAIN_BYTES = 16L * 1024 * 1024;

  private RequestBody() {}

  static byte[] read(InputStream in, @Nullable String contentEncoding, int limit, Deadline deadline)
      throws IOException, RefusedException {
    String encoding =
        contentEncoding == null ? "identity" : contentEncoding.trim().toLowerCase(Locale.ROOT);
    Counted sent = new Counted(in, limit, deadline);
    try {
      return switch (encoding) {
        case "identity", "" -> readAll(sent, limit);
        case "gzip", "x-gzip" -> gunzip(sent, limit);
        default ->
            throw new RefusedException(
                415, "Content-Encoding: " + clip(encoding) + ": must be gzip or identity");
      };
    } catch (TooLate e) {
      throw new RefusedException(
          408, "body not complete within " + deadline.allowed() + ": send it faster, or in parts");
    } catch (TooLarge e) {
      drain(in, deadline);
      throw new RefusedException(
          413,
          "body larger than "
              + limit
              + " bytes"
              + (encoding.contains("gzip") ? " when unpacked" : "")
              + ": send fewer events per request");
    }
  }

  private static byte[] gunzip(Counted sent, int limit) throws IOException, RefusedException {
    try (GZIPInputStream unpacked = new GZIPInputStream(sent)) {
      return readAll(unpacked, limit);
    } catch (ZipException | EOFException e) {
      throw new RefusedException(400, "body is not valid gzip: " + e.getMessage());
    }
  }

  private static byte[] readAll(InputStream in, int limit) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] chunk = new byte[16 * 1024];
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      if (out.size() + n > limit) {
        throw new TooLarge();
      }
      out.write(chunk, 0, n);
    }
    return out.toByteArray();
  }

  private static void drain(InputStream in, Deadline deadline) throws IOException {
    byte[] chunk = new byte[16 * 1024];
    long left = DRAIN_BYTES;
    int n = 0;
    while (left > 0 && n >= 0 && !deadline.isOver()) {
      n = in.read(chunk);
      left -= n;
    }
  }

  static String clip(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }

  /**
   * The bytes on the wire count too: gzip members without content would otherwise be endless. The
   * time is looked at after every read: a sender of a byte now and then never runs into the idle
   * time-out of the connection.
   */
  private static final class Counted extends FilterInputStream {
    private final Deadline deadline;
    private long left;

    Counted(InputStream in, long limit, Deadline deadline) {
      super(in);
      this.left = limit;
      this.deadline = deadline;
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      return (int) count(b < 0 ? 0 : 1, b);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int n = super.read(target, offset, length);
      return (int) count(Math.max(n, 0), n);
    }

    private long count(int bytes, int result) throws IOException {
      if (deadline.isOver()) {
        throw new TooLate();
      }
      left -= bytes;
      if (left < 0) {
        throw new TooLarge();
      }
      return result;
    }
  }

  private static final class TooLarge extends IOException {}

  private static final class TooLate extends IOException {}
}
