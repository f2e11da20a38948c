package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.http.Context;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.HttpOutput;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes answers of any size while no thread waits for the client: Jetty goes on when the socket
 * takes more, and gives up a client that takes nothing for as long as connections may be silent.
 * Thread-safe.
 */
final class Answers {

  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

  private final AtomicInteger onTheirWay = new AtomicInteger();
  private final AtomicInteger notTaken = new AtomicInteger();

  /**
   * Begins to write an answer, whose status and headers are set.
   *
   * @return completes when the client's side has taken all of it or will not; never fails
   */
  CompletableFuture<Void> send(Context ctx, JsonNode answer) {
    byte[] body = answer.toString().getBytes(StandardCharsets.UTF_8);
    ctx.contentType("application/json");
    ctx.res().setContentLength(body.length);
    CompletableFuture<Void> written = new CompletableFuture<>();
    onTheirWay.incrementAndGet();
    output(ctx)
        .sendContent(
            ByteBuffer.wrap(body),
            Callback.from(
                () -> end(written),
                failure -> {
                  LOG.debug("an answer was not taken: {}", failure.getClass().getName());
                  notTaken.incrementAndGet();
                  end(written);
                }));
    return written;
  }

  private static HttpOutput output(Context ctx) {
    return ServletContextRequest.getServletContextRequest(ctx.req())
        .getServletContextResponse()
        .getHttpOutput();
  }

  private void end(CompletableFuture<Void> written) {
    onTheirWay.decrementAndGet();
    written.complete(null);
  }

  /** How many clients have not taken all of theirs, since the start. */
  int notTaken() {
    return notTaken.get();
  }

  /** How many are being written. */
  int size() {
    return onTheirWay.get();
  }
}
