package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.BinaryCloudEvent;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.avro.DeadLetter;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/cloudevents}: KServe's payload logger, CloudEvents 1.0 in binary or structured
 * mode, one per call. Request and response are paired by id in this process's memory, so that both
 * halves must come to the same one. 202 for a half that is understood, which has nothing to be
 * stored yet, and for the half that completes a pair once the broker has what the pair gives; 400
 * when that is too large or cannot be encoded, 503 when it is dropped for another reason or not
 * acknowledged in time. What is given up for want of a response is nobody's answer. Thread-safe.
 */
public final class CloudEventsEndpoint implements Handler {
  private static final String STRUCTURED = "application/cloudevents+json";
  private static final AdapterSettings OPEN =
      new AdapterSettings(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private final EventReader reader;
  private final EventSink sink;
  private final EndpointSettings settings;
  private final Clock clock;
  private final Semaphore slots;
  private final Object lock = new Object();
  private final Adapter adapter = AdapterFormat.KSERVE.open(OPEN);
  private long number;

  /**
   * @param clock ends the wait for a response, and stamps dead letters
   */
  public CloudEventsEndpoint(
      EventReader reader, EventSink sink, EndpointSettings settings, Clock clock) {
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
      byte[] body =
          RequestBody.read(
              ctx.req().getInputStream(),
              ctx.header("Content-Encoding"),
              settings.maxBodyBytes(),
              Deadline.in(settings.bodyTimeout(), System::nanoTime));
      take(line(ctx, body));
      ctx.status(202);
    } catch (RefusedException e) {
      refuse(ctx, e.status(), String.valueOf(e.getMessage()));
    } finally {
      slots.release();
    }
  }

  /** The event as one line of the file format. */
  private static byte[] line(Context ctx, byte[] body) throws RefusedException {
    String type = mediaType(ctx.header("Content-Type"));
    if (type.equals(STRUCTURED)) {
      return body;
    }
    if (ctx.header("ce-specversion") == null) {
      throw new RefusedException(
          400, "no CloudEvent: needs the header ce-specversion, or Content-Type " + STRUCTURED);
    }
    return BinaryCloudEvent.line(ctx.headerMap(), body);
  }

  private static String mediaType(@Nullable String contentType) {
    return contentType == null ? "" : contentType.split(";", -1)[0].trim().toLowerCase(Locale.ROOT);
  }

  private void take(byte[] line) throws RefusedException, InterruptedException {
    Instant now = clock.instant();
    AdaptedBatch givenUp = new AdaptedBatch(reader, "cloudevents", now);
    AdaptedBatch made = new AdaptedBatch(reader, "cloudevents", now);
    synchronized (lock) {
      adapter.take(new SourceLine(line, 0, ++number, now), made);
      adapter.pass(now, givenUp);
    }
    givenUp.records().forEach(sink::offer);
    publish(made.records());
    if (made.rejected() > 0 && made.accepted() == 0) {
      throw new RefusedException(400, "the event cannot be used: " + made.firstReason());
    }
  }

  private void publish(List<SpecificRecord> records) throws RefusedException, InterruptedException {
    List<CompletableFuture<Published>> fates = new ArrayList<>();
    for (SpecificRecord record : records) {
      if (record instanceof DeadLetter) {
        // Whose sender is told in any case.
        sink.offer(record);
      } else {
        fates.add(sink.publish(record));
      }
    }
    try {
      CompletableFuture.allOf(fates.toArray(CompletableFuture<?>[]::new))
          .get(settings.ackTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new RefusedException(503, "the broker has not acknowledged the event");
    } catch (ExecutionException e) {
      throw dropped(e.getCause());
    }
  }

  private static RefusedException dropped(@Nullable Throwable why) {
    if (!(why instanceof EventDroppedException dropped)) {
      return new RefusedException(503, "the event was dropped");
    }
    return new RefusedException(
        dropped.reason().isFinal() ? 400 : 503, "the event was dropped: " + dropped.getMessage());
  }

  private static void refuse(Context ctx, int status, String why) {
    if (status == 408) {
      ctx.header("Connection", "close");
    }
    if (status == 429) {
      ctx.header("Retry-After", "1");
    }
    ctx.status(status)
        .contentType("application/json")
        .result(JsonNodeFactory.instance.objectNode().put("error", why).toString());
  }
}
