package io.servedrift.serving.score.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Reads a body within a limit of bytes and of time. The time is looked at after every read: a
 * sender of a byte now and then never runs into the connection's idle time-out. Immutable.
 */
final class BodyReader {

  private static final int CHUNK = 16 * 1024;

  /** How much of a body that is too large is read and thrown away, so that the answer arrives. */
  private static final long DRAIN_BYTES = 16L << 20;

  private final int limit;
  private final Duration allowed;
  private final LongSupplier nanoTime;

  BodyReader(int limit, Duration allowed, LongSupplier nanoTime) {
    this.limit = limit;
    this.allowed = allowed;
    this.nanoTime = nanoTime;
  }

  byte[] read(InputStream in) throws IOException, ApiException {
    long end = nanoTime.getAsLong() + allowed.toNanos();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    long total = 0;
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      total += n;
      if (nanoTime.getAsLong() - end >= 0) {
        throw ApiException.refused(
            408, "timeout", "body not complete within " + allowed + ": send it faster");
      }
      if (total <= limit) {
        body.write(chunk, 0, n);
      } else if (total > limit + DRAIN_BYTES) {
        break;
      }
    }
    if (total > limit) {
      throw ApiException.refused(
          413,
          "body_too_large",
          "body larger than " + limit + " bytes: send fewer images per post");
    }
    return body.toByteArray();
  }
}
