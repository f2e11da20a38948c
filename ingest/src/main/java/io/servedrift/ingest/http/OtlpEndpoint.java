package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.OtlpBodies;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.EventReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/traces} and {@code /v1/logs}: OTLP over HTTP (OpenTelemetry protocol 1.x), GenAI
 * spans as requests and evaluation results as scores. Answers as the protocol says, in the form of
 * the request: 200 when the broker has the events, with a partial success that counts what was
 * rejected; 400 for a body that cannot be read; 429 and 503 with {@code Retry-After} when the
 * exporter should send the same again, which is safe: repeats are recognised by their ids. Spans
 * about other things are taken and forgotten. The deployment is {@code service.name}. Thread-safe.
 */
public final class OtlpEndpoint implements Handler {
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final AdapterSettings OPEN =
      new AdapterSettings(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private final boolean logs;
  private final EventReader reader;
  private final EventSink sink;
  private final EndpointSettings settings;
  private final Clock clock;
  private final Semaphore slots;

  /**
   * @param logs whether this is {@code /v1/logs}, else {@code /v1/traces}
   * @param clock stamps dead letters
   */
  public OtlpEndpoint(
      boolean logs, EventReader reader, EventSink sink, EndpointSettings settings, Clock clock) {
    this.logs = logs;
    this.reader = reader;
    this.sink = sink;
    this.settings = settings;
    this.clock = clock;
    this.slots = new Semaphore(settings.maxConcurrent());
  }

  @Override
  public void handle(Context ctx) throws IOException, InterruptedException {
    if (!slots.tryAcquire(1, TimeUnit.SECONDS)) {
      refuse(ctx, 429, settings.maxConcurrent() + " posts are being worked on: try again later");
      return;
    }
    try {
      take(ctx);
    } catch (RefusedException e) {
      refuse(ctx, e.status(), String.valueOf(e.getMessage()));
    } finally {
      slots.release();
    }
  }

  private void take(Context ctx) throws IOException, RefusedException, InterruptedException {
    boolean protobuf = isProtobuf(ctx.header("Content-Type"));
    byte[] body =
        RequestBody.read(
            ctx.req().getInputStream(),
            ctx.header("Content-Encoding"),
            settings.maxBodyBytes(),
            Deadline.in(settings.bodyTimeout(), System::nanoTime));
    AdaptedBatch made = new AdaptedBatch(reader, "otlp", clock.instant());
    if (!OtlpBodies.read(body, protobuf, logs, OPEN, made)) {
      throw new RefusedException(
          400, "body is no OTLP in " + (protobuf ? "protobuf" : "JSON") + " for " + ctx.path());
    }
    if (made.records().size() > settings.maxItems()) {
      throw new RefusedException(
          413, "more than " + settings.maxItems() + " events: send fewer per request");
    }
    List<CompletableFuture<Published>> fates = new ArrayList<>();
    made.records().forEach(event -> fates.add(sink.publish(event)));
    long never = neverTaken(fates);
    if (never < 0) {
      refuse(ctx, 503, "the broker did not acknowledge: send again");
      return;
    }
    answer(ctx, protobuf, made.rejected() + never);
  }

  private static boolean isProtobuf(@Nullable String contentType) throws RefusedException {
    String type =
        contentType == null ? "" : contentType.split(";", -1)[0].trim().toLowerCase(Locale.ROOT);
    if (type.equals(PROTOBUF) || type.equals(JSON)) {
      return type.equals(PROTOBUF);
    }
    throw new RefusedException(
        415,
        "Content-Type: "
            + (type.isEmpty() ? "none" : RequestBody.clip(type))
            + ": must be "
            + PROTOBUF
            + " or "
            + JSON);
  }

  /**
   * How many the broker will not take however often they are sent; -1 when the rest is not
   * acknowledged, so that it must be sent again.
   */
  private long neverTaken(List<CompletableFuture<Published>> fates) throws InterruptedException {
    List<CompletableFuture<Boolean>> settled =
        fates.stream().map(fate -> fate.handle(OtlpEndpoint::isTaken)).toList();
    try {
      CompletableFuture.allOf(settled.toArray(CompletableFuture<?>[]::new))
          .get(settings.ackTimeout().toNanos(), TimeUnit.NANOSECONDS);
      return settled.stream().filter(taken -> !taken.join()).count();
    } catch (ExecutionException | TimeoutException e) {
      return -1;
    }
  }

  private static boolean isTaken(@Nullable Published published, @Nullable Throwable failure) {
    if (failure == null) {
      return true;
    }
    if (failure instanceof EventDroppedException dropped && dropped.reason().isFinal()) {
      return false;
    }
    throw new CompletionException(failure);
  }

  private void answer(Context ctx, boolean protobuf, long rejected) {
    ctx.status(200).contentType(protobuf ? PROTOBUF : JSON);
    if (protobuf) {
      ctx.result(partialSuccess(rejected));
      return;
    }
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    if (rejected > 0) {
      answer
          .putObject("partialSuccess")
          .put(logs ? "rejectedLogRecords" : "rejectedSpans", Long.toString(rejected))
          .put("errorMessage", "never accepted: invalid (see the dead letters) or too large");
    }
    ctx.result(answer.toString());
  }

  /** {@code partial_success} is member 1, in it the count member 1. */
  private static byte[] partialSuccess(long rejected) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (rejected > 0) {
      ByteArrayOutputStream count = new ByteArrayOutputStream();
      count.write(1 << 3);
      long left = rejected;
      while (left > 0x7F) {
        count.write((int) (left & 0x7F) | 0x80);
        left >>>= 7;
      }
      count.write((int) left);
      out.write((1 << 3) | 2);
      out.write(count.size());
      out.writeBytes(count.toByteArray());
    }
    return out.toByteArray();
  }

  private static void refuse(Context ctx, int status, String why) {
    if (status == 408) {
      ctx.header("Connection", "close");
    }
    if (status == 429 || status == 503) {
      ctx.header("Retry-After", "1");
    }
    ctx.status(status)
        .contentType(JSON)
        .result(JsonNodeFactory.instance.objectNode().put("message", why).toString());
  }
}
