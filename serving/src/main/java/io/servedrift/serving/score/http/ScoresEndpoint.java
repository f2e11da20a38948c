package io.servedrift.serving.score.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.avro.ScoreEvent;
import io.servedrift.serving.score.ImageScores;
import io.servedrift.serving.score.ScoreEvents;
import io.servedrift.serving.score.Scorer;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/scores}: scores images against their prompts.
 *
 * <table>
 * <caption>Answers</caption>
 * <tr><td>200</td><td>every image was scored; {@code published} says whether the publisher took the
 *     scores</td></tr>
 * <tr><td>400</td><td>not JSON, or a field is wrong; nothing was scored or published</td></tr>
 * <tr><td>404</td><td>another model is asked for</td></tr>
 * <tr><td>408</td><td>the body did not arrive in time; the connection is closed</td></tr>
 * <tr><td>413</td><td>body over the limit</td></tr>
 * <tr><td>415</td><td>another media type or content encoding</td></tr>
 * <tr><td>429</td><td>too many posts at once, or too many bytes of bodies; {@code Retry-After} says
 *     when</td></tr>
 * <tr><td>500</td><td>the scorer failed</td></tr>
 * <tr><td>503</td><td>the service is stopping</td></tr>
 * </table>
 *
 * <p>No thread and no place among the posts that are worked on waits for a body: a slow sender
 * holds the memory of what it sent, for as long as a body may take. Errors are OpenAI's: {@code
 * {"error":{"message","type","param","code"}}}. Publishing does not wait for the broker.
 * Thread-safe.
 */
final class ScoresEndpoint implements Handler, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ScoresEndpoint.class);

  private final Scorer scorer;
  private final @Nullable EventSink sink;
  private final ScoreRequestReader requests;
  private final BodyReader bodies;
  private final ScorerServiceMetrics metrics;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final int concurrent;
  private final Semaphore slots;
  private volatile boolean stopping;

  ScoresEndpoint(
      Scorer scorer,
      String model,
      @Nullable EventSink sink,
      ScoreLimits limits,
      ScorerServiceMetrics metrics,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.scorer = scorer;
    this.sink = sink;
    this.requests = new ScoreRequestReader(limits, model, sink != null);
    this.bodies =
        new BodyReader(limits.maxBodyBytes(), limits.bodyBytesAtOnce(), limits.bodyTimeout());
    this.metrics = metrics;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.concurrent = limits.maxConcurrent();
    this.slots = new Semaphore(concurrent);
  }

  @Override
  public void handle(Context ctx) throws IOException {
    long started = nanoTime.getAsLong();
    try {
      if (stopping) {
        throw stopped();
      }
      checkHeaders(ctx);
    } catch (ApiException e) {
      respond(ctx, started, Result.of(e));
      return;
    }
    ServletInputStream in = ctx.req().getInputStream();
    ctx.future(
        () -> {
          ArrivingBody body = bodies.read(in);
          return body.complete()
              .handle(this::result)
              .whenComplete((result, defect) -> body.release())
              .thenAccept(result -> respond(ctx, started, result));
        });
  }

  /** What a post is answered with. */
  private record Result(int status, ObjectNode json) {
    static Result of(ApiException e) {
      return new Result(e.status(), e.json());
    }
  }

  /** Scores on the thread on which the body became complete. */
  private Result result(byte @Nullable [] body, @Nullable Throwable failure) {
    try {
      if (body == null) {
        if (failure instanceof ApiException refused) {
          throw refused;
        }
        throw new IllegalStateException("a body fails with a refusal", failure);
      }
      return new Result(200, answer(body));
    } catch (ApiException e) {
      return Result.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Result.of(stopped());
    } catch (RuntimeException | Error e) {
      // Also an error, such as memory that one post's images do not find, is answered. The class
      // only: texts of exceptions may quote prompts.
      LOG.warn("scoring failed: {}", e.getClass().getName());
      return new Result(500, ApiException.json(500, "scoring_failed", null, "the scorer failed"));
    }
  }

  private static ApiException stopped() {
    return ApiException.refused(503, "stopping", "this scorer is stopping: ask another one");
  }

  private ObjectNode answer(byte[] body) throws ApiException, InterruptedException {
    if (stopping) {
      throw stopped();
    }
    // Bounds memory: unpacked images exist only while a slot is held.
    if (!slots.tryAcquire(1, TimeUnit.SECONDS)) {
      throw ApiException.refused(
          429, "too_many_requests", concurrent + " posts are worked on: try again later");
    }
    try {
      ScoreRequest request = requests.read(body);
      List<ImageScores> scores =
          scorer.score(request.items().stream().map(ScoreRequest.Item::input).toList());
      if (!scores.stream().allMatch(ImageScores::finite)) {
        throw ApiException.refused(500, "not_finite", "the scorer gave a score that is no number");
      }
      metrics.scored(scores.size());
      return json(request, scores);
    } finally {
      slots.release();
    }
  }

  private static void checkHeaders(Context ctx) throws ApiException {
    String type = ctx.header("Content-Type");
    if (type == null || !type.regionMatches(true, 0, "application/json", 0, 16)) {
      throw ApiException.refused(
          415, "unsupported_media_type", "Content-Type: must be application/json");
    }
    String encoding = ctx.header("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw ApiException.refused(
          415, "unsupported_encoding", "Content-Encoding: must be identity or left out");
    }
  }

  private ObjectNode json(ScoreRequest request, List<ImageScores> scores) {
    if (request.single()) {
      return json(request.items().get(0), scores.get(0), request.embedding());
    }
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode results = root.putArray("results");
    for (int i = 0; i < scores.size(); i++) {
      results.add(json(request.items().get(i), scores.get(i), request.embedding()));
    }
    return root;
  }

  private ObjectNode json(ScoreRequest.Item item, ImageScores scores, boolean embedding) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ObjectNode values = answer.putObject("scores");
    new TreeMap<>(scores.values()).forEach(values::put);
    ObjectNode scorers = answer.putObject("scorers");
    new TreeMap<>(scorer.scorers()).forEach(scorers::put);
    if (embedding) {
      ArrayNode array = answer.putArray("embedding");
      for (float value : scores.embedding()) {
        array.add(value);
      }
    }
    if (item.target() != null && sink != null) {
      answer.put("published", publish(item.target(), scores, sink));
    }
    return answer;
  }

  private boolean publish(ScoreRequest.Target target, ImageScores scores, EventSink to) {
    boolean accepted = true;
    for (ScoreEvent event :
        ScoreEvents.of(
            target.deployment(), target.requestId(), scores, scorer.scorers(), clock.instant())) {
      accepted &= to.offer(event);
    }
    metrics.published(accepted);
    return accepted;
  }

  private void respond(Context ctx, long started, Result result) {
    if (result.status == 408) {
      ctx.header("Connection", "close");
    }
    if (result.status == 429 || result.status == 503) {
      ctx.header("Retry-After", "1");
    }
    ctx.status(result.status).contentType("application/json").result(result.json.toString());
    metrics.answered(result.status, Duration.ofNanos(nanoTime.getAsLong() - started));
  }

  /** Takes no more posts and waits for those in work, within the time. */
  void drain(Duration timeout) {
    stopping = true;
    try {
      boolean drained = slots.tryAcquire(concurrent, timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!drained) {
        LOG.warn("posts were still being scored {} after the stop", timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Bytes of bodies that are being read or worked on. */
  long bodyBytes() {
    return bodies.held();
  }

  /** To be called when the server has stopped. */
  @Override
  public void close() {
    bodies.close();
  }
}
