package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.BinaryCloudEvent;
import io.servedrift.ingest.adapters.SourceLine;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.EventReader;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/cloudevents}: KServe's payload logger, CloudEvents 1.0 in binary or structured
 * mode, one per call. Request and response are paired by id in this process's memory, so that both
 * halves must come to the same one. 202 once an event is understood: a half has nothing to be
 * stored yet, and what the pair gives is offered to the publisher; 503 when that must drop it. What
 * is given up for want of a response is nobody's answer. Thread-safe.
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

  private void take(byte[] line) throws RefusedException {
    Instant now = clock.instant();
    AdaptedBatch givenUp = new AdaptedBatch(reader, "cloudevents", now);
    AdaptedBatch made = new AdaptedBatch(reader, "cloudevents", now);
    synchronized (lock) {
      adapter.take(new SourceLine(line, 0, ++number, now), made);
      adapter.pass(now, givenUp);
    }
    givenUp.records().forEach(sink::offer);
    boolean all = true;
    for (SpecificRecord record : made.records()) {
      all &= sink.offer(record);
    }
    if (!all) {
      throw new RefusedException(503, "the publisher's buffer is full: the event was dropped");
    }
    if (made.rejected() > 0 && made.accepted() == 0) {
      throw new RefusedException(400, "the event cannot be used: " + made.firstReason());
    }
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
