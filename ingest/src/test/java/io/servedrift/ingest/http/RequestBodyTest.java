package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {

  private static final Duration ALLOWED = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofSeconds(20);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private int sent;

  /** A sender that lets 20 s pass before each byte. */
  private InputStream dripping(byte[] body) {
    return new FilterInputStream(new ByteArrayInputStream(body)) {
      @Override
      public int read() throws IOException {
        nanos.addAndGet(PAUSE.toNanos());
        sent++;
        return super.read();
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        nanos.addAndGet(PAUSE.toNanos());
        sent++;
        return super.read(target, offset, Math.min(length, 1));
      }
    };
  }

  private byte[] read(byte[] body, String encoding, int limit) throws Exception {
    return RequestBody.read(dripping(body), encoding, limit, Deadline.in(ALLOWED, nanos::get));
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip"})
  void refusesWith408_whenTheSenderDripsBytes(String encoding) throws Exception {
    byte[] body = encoding.equals("gzip") ? gzip(new byte[500]) : new byte[500];

    assertThatThrownBy(() -> read(body, encoding, 1000))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.status()).isEqualTo(408))
        .hasMessageContaining("PT1M");
    assertThat(sent).isEqualTo(3);
  }

  @Test
  void stopsThrowingAwayTheRest_whenABodyTooLargeIsSlowAsWell() {
    assertThatThrownBy(() -> read(new byte[500], null, 1))
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.status()).isEqualTo(413));
    assertThat(sent).isEqualTo(3);
  }

  @Test
  void givesTheBody_whenItArrivesInTime() throws Exception {
    // Two reads: the byte, and the end.
    assertThat(read(new byte[] {7}, null, 10)).containsExactly(7);
  }
}
