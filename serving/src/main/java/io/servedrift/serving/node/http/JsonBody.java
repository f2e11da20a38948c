package io.servedrift.serving.node.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a call: one JSON object, within a size and a time. Repeated members and what
 * follows the object are errors. Immutable.
 */
final class JsonBody {

  /** From the first byte to the last; a slow sender would else hold a thread for long. */
  private static final Duration TIME = Duration.ofSeconds(10);

  /** How much, and how long, is still read of a body that is too large. */
  private static final long MOST_PASSED_OVER = 4 << 20;

  private static final Duration LINGER = Duration.ofSeconds(2);

  private static final int MAX_DEPTH = 8;

  private final int maxBytes;
  private final ObjectReader reader;

  /** Takes bodies of up to so many bytes. */
  JsonBody(int maxBytes) {
    this.maxBytes = maxBytes;
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(maxBytes)
                    .build())
            .build();
    reader =
        JsonMapper.builder(factory)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);
  }

  /**
   * The body of a call as an object.
   *
   * @throws ApiException 400, 408, 413 or 415 when there is none
   */
  ObjectNode read(Context ctx) throws IOException {
    requireJson(ctx.header("Content-Type"));
    if (ctx.req().getContentLengthLong() > maxBytes) {
      throw tooLarge(ctx);
    }
    byte[] bytes = bytes(ctx);
    JsonNode node;
    try {
      node = reader.readTree(bytes);
    } catch (JsonProcessingException e) {
      // Jackson's text quotes the body; place and class are enough.
      throw ApiException.refused(
          400,
          "invalid_json",
          "body: must be one JSON object; it breaks at "
              + (e.getLocation() == null
                  ? "an unknown place"
                  : "line "
                      + e.getLocation().getLineNr()
                      + ", column "
                      + e.getLocation().getColumnNr()));
    }
    if (!(node instanceof ObjectNode object)) {
      throw ApiException.refused(400, "invalid_json", "body: must be one JSON object");
    }
    return object;
  }

  /** Another type would let any web page post here without the browser asking first. */
  private static void requireJson(@Nullable String contentType) {
    String type =
        contentType == null ? "" : contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (!type.equals("application/json")) {
      throw ApiException.refused(
          415, "unsupported_media_type", "Content-Type: must be application/json");
    }
  }

  private byte[] bytes(Context ctx) throws IOException {
    InputStream in = ctx.req().getInputStream();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] part = new byte[8 * 1024];
    long begun = System.nanoTime();
    for (int n = in.read(part); n >= 0; n = in.read(part)) {
      body.write(part, 0, n);
      if (body.size() > maxBytes) {
        throw tooLarge(ctx);
      }
      if (System.nanoTime() - begun > TIME.toNanos()) {
        ctx.header("Connection", "close");
        throw ApiException.refused(
            408, "request_timeout", "body: must be complete within " + TIME.toSeconds() + "s");
      }
    }
    return body.toByteArray();
  }

  private ApiException tooLarge(Context ctx) throws IOException {
    // The rest of the body is not used, so the connection cannot be used again.
    ctx.header("Connection", "close");
    passOver(ctx);
    return ApiException.refused(
        413, "request_too_large", "body: must be at most " + maxBytes + " bytes");
  }

  /**
   * Reads on for a while without keeping it: a connection that is closed while its client still
   * sends is reset, and the client never sees why (RFC 9112, section 9.6). A client that waits for
   * leave to send is not given it.
   */
  private static void passOver(Context ctx) throws IOException {
    if (ctx.header("Expect") != null) {
      return;
    }
    InputStream in = ctx.req().getInputStream();
    byte[] part = new byte[64 * 1024];
    long begun = System.nanoTime();
    for (long passed = 0; passed < MOST_PASSED_OVER; ) {
      int n = in.read(part);
      if (n < 0 || System.nanoTime() - begun > LINGER.toNanos()) {
        return;
      }
      passed += n;
    }
  }
}
