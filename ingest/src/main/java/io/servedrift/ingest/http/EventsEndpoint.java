package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.DeadLetters;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.EventType;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import io.servedrift.schemas.avro.ConfigRecord;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;

/**
 * {@code POST /v1/events}: takes events in, and answers when the broker has them.
 *
 * <table>
 * <caption>Answers</caption>
 * <tr><td>202</td><td>every usable event is acknowledged; {@code rejected} lists the others</td></tr>
 * <tr><td>400</td><td>nothing usable: no events, broken gzip, or all rejected</td></tr>
 * <tr><td>408</td><td>the body did not arrive in time; the connection is closed</td></tr>
 * <tr><td>413</td><td>body or number of events over the limit</td></tr>
 * <tr><td>415</td><td>other media type, charset or content encoding</td></tr>
 * <tr><td>429</td><td>the buffer is full, or too many posts at once; {@code Retry-After} says when</td></tr>
 * <tr><td>503</td><td>the broker did not acknowledge in time</td></tr>
 * </table>
 *
 * <p>With 429 and 503 {@code failed} lists by index what is not known to be stored; what {@code
 * accepted} counts is. To send the whole body again is safe: repeats are recognised by their ids.
 *
 * <p>Accepted are the events that clients produce. Ticks and decisions, which move clocks and
 * baselines, are rejected as {@code unknown_type}. Rejected items are kept as dead letters as well,
 * as far as the buffer has room. The thread of the request waits for the broker; {@link
 * EndpointSettings#maxConcurrent()} bounds how many do. Thread-safe.
 */
public final class EventsEndpoint implements Handler {

  private static final Set<EventType> ACCEPTED =
      EnumSet.of(
          EventType.REQUEST,
          EventType.SCORE,
          EventType.SERVING_EVENT,
          EventType.CONFIG,
          EventType.HEARTBEAT,
          EventType.REVIEW,
          EventType.EVAL);
  private static final String ACCEPTED_WORDS =
      ACCEPTED.stream().map(EventType::word).collect(Collectors.joining(", "));

  private final EventReader reader;
  private final EventSink sink;
  private final EndpointSettings settings;
  private final Clock clock;
  private final Semaphore slots;
  private final RecentRegistrations recentRegistrations;
  private final IntakeLedger ledger = new IntakeLedger();

  /** Uses the system clock, which only stamps dead letters. */
  public EventsEndpoint(EventReader reader, EventSink sink, EndpointSettings settings) {
    this(reader, sink, settings, Clock.systemUTC());
  }

  EventsEndpoint(EventReader reader, EventSink sink, EndpointSettings settings, Clock clock) {
    this.reader = reader;
    this.sink = sink;
    this.settings = settings;
    this.clock = clock;
    this.slots = new Semaphore(settings.maxConcurrent());
    this.recentRegistrations = new RecentRegistrations(clock);
  }

  /** What came in so far. */
  public IntakeCounts counts() {
    return ledger.snapshot();
  }

  @Override
  public void handle(Context ctx) throws IOException, InterruptedException {
    // Bounds memory: a body and its events exist only while a slot is held.
    if (!slots.tryAcquire(1, TimeUnit.SECONDS)) {
      refuse(ctx, 429, settings.maxConcurrent() + " posts are being worked on: try again later");
      return;
    }
    try {
      Verdicts answer = take(ctx);
      int status = answer.status();
      ledger.answered(status, answer);
      respond(ctx, status, answer.json());
    } catch (RefusedException e) {
      refuse(ctx, e.status(), String.valueOf(e.getMessage()));
    } finally {
      slots.release();
    }
  }

  private Verdicts take(Context ctx) throws IOException, RefusedException, InterruptedException {
    BodyFormat format = BodyFormat.of(ctx.header("Content-Type"));
    byte[] body =
        RequestBody.read(
            ctx.req().getInputStream(),
            ctx.header("Content-Encoding"),
            settings.maxBodyBytes(),
            Deadline.in(settings.bodyTimeout(), System::nanoTime));
    List<BodyItems.Item> items = format.items(body, settings.maxItems());
    List<Reading> readings = items.stream().map(this::read).toList();
    Batch batch = new Batch();
    List<CompletableFuture<?>> fates = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      if (readings.get(i) instanceof Reading.Accepted accepted) {
        fates.add(batch.publish(accepted));
      } else if (readings.get(i) instanceof Reading.Rejected rejected) {
        fates.add(CompletableFuture.completedFuture(null));
        keepDeadLetter(items.get(i).payload(), rejected);
      }
    }
    awaitAll(fates);
    List<Verdicts.Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      verdicts.add(verdict(readings.get(i), fates.get(i)));
    }
    return new Verdicts(verdicts);
  }

  private Reading read(BodyItems.Item item) {
    if (item.broken() != null) {
      return item.broken();
    }
    Reading reading = reader.readJson(item.payload());
    if (reading instanceof Reading.Accepted accepted) {
      EventType type = EventType.of(accepted.event());
      if (!ACCEPTED.contains(type)) {
        return new Reading.Rejected(
            RejectReason.UNKNOWN_TYPE.code(),
            List.of(new Problem("type", type.word(), ACCEPTED_WORDS)));
      }
    }
    return reading;
  }

  private void keepDeadLetter(byte[] payload, Reading.Rejected rejected) {
    // The sender is told in any case, so a dead letter that finds no room is only counted.
    boolean kept =
        sink.offer(
            DeadLetters.of(payload, rejected, "http", clock.instant(), settings.deadLettersRaw()));
    ledger.deadLetter(kept);
  }

  private void awaitAll(List<CompletableFuture<?>> fates) throws InterruptedException {
    try {
      CompletableFuture.allOf(fates.toArray(CompletableFuture<?>[]::new))
          .get(settings.ackTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException toldByEachFate) {
      // Each item's own future says what became of it.
      return;
    }
  }

  private static Verdicts.Verdict verdict(Reading reading, CompletableFuture<?> fate) {
    if (reading instanceof Reading.Rejected rejected) {
      return new Verdicts.Verdict.Rejected(rejected.reason(), rejected.detail());
    }
    if (!fate.isDone()) {
      return new Verdicts.Verdict.Failed(Verdicts.NOT_ACKNOWLEDGED);
    }
    if (fate.isCompletedExceptionally()) {
      return fate.handle((done, failure) -> failed(failure)).join();
    }
    Reading.Accepted accepted = (Reading.Accepted) reading;
    return new Verdicts.Verdict.Accepted(
        accepted.unknownFields(), accepted.unknownNames(), accepted.cacheConflicts());
  }

  private static Verdicts.Verdict failed(Throwable failure) {
    Throwable cause = failure;
    while (!(cause instanceof EventDroppedException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (!(cause instanceof EventDroppedException dropped)) {
      return new Verdicts.Verdict.Failed(DropReason.BROKER_ERROR.code());
    }
    return switch (dropped.reason()) {
      case TOO_LARGE, ENCODE_ERROR ->
          new Verdicts.Verdict.Rejected(
              dropped.reason().code(), String.valueOf(dropped.getMessage()));
      case BUFFER_FULL, BROKER_ERROR, CLOSED ->
          new Verdicts.Verdict.Failed(dropped.reason().code());
    };
  }

  private void refuse(Context ctx, int status, String why) {
    ledger.refused(status);
    respond(ctx, status, JsonNodeFactory.instance.objectNode().put("error", why));
  }

  private static void respond(Context ctx, int status, ObjectNode answer) {
    if (status == 408) {
      ctx.header("Connection", "close");
    }
    if (status == 429 || status == 503) {
      ctx.header("Retry-After", "1");
    }
    ctx.status(status).contentType("application/json").result(answer.toString());
  }

  /** Publishes the events of one body. */
  private final class Batch {
    private final Map<RecentRegistrations.Key, CompletableFuture<Published>> registrations =
        new HashMap<>();
    private boolean full;

    /** Done when the event and everything it registers are acknowledged. */
    CompletableFuture<?> publish(Reading.Accepted accepted) {
      List<CompletableFuture<?>> parts = new ArrayList<>();
      for (ConfigRecord registration : accepted.registrations()) {
        if (!recentRegistrations.contains(registration)) {
          parts.add(
              registrations.computeIfAbsent(
                  RecentRegistrations.Key.of(registration), key -> register(registration)));
        }
      }
      parts.add(send(accepted.event()));
      return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Published> register(ConfigRecord registration) {
      return send(registration)
          .whenComplete(
              (done, failure) -> {
                if (failure == null) {
                  recentRegistrations.acknowledged(registration);
                }
              });
    }

    private CompletableFuture<Published> send(SpecificRecord event) {
      // What follows a full buffer is not even tried: a small event must not overtake.
      if (full) {
        return CompletableFuture.failedFuture(
            new EventDroppedException(
                DropReason.BUFFER_FULL, "an earlier event of this body found no room", null));
      }
      CompletableFuture<Published> fate = sink.publish(event);
      full =
          fate.isCompletedExceptionally()
              && fate.handle(
                      (done, failure) ->
                          failure instanceof EventDroppedException dropped
                              && dropped.reason() == DropReason.BUFFER_FULL)
                  .join();
      return fate;
    }
  }
}
