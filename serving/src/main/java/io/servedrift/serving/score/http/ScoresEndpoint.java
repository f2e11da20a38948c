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
 * <tr><td>429</td><td>too many posts at once; {@code Retry-After} says when</td></tr>
 * <tr><td>500</td><td>the scorer failed</td></tr>
 * <tr><td>503</td><td>the service is stopping</td></tr>
 * </table>
 *
 * <p>Errors are OpenAI's: {@code {"error":{"message","type","param","code"}}}. Publishing does not
 * wait for the broker. Thread-safe.
 */
final class ScoresEndpoint implements Handler {

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
    this.bodies = new BodyReader(limits.maxBodyBytes(), limits.bodyTimeout(), nanoTime);
    this.metrics = metrics;
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.concurrent = limits.maxConcurrent();
    this.slots = new Semaphore(concurrent);
  }

  @Override
  public void handle(Context ctx) throws IOException, InterruptedException {
    long started = nanoTime.getAsLong();
    try {
      respond(ctx, 200, answer(ctx));
    } catch (ApiException e) {
      respond(ctx, e.status(), e.json());
    } catch (RuntimeException e) {
      // The class only: texts of exceptions may quote prompts.
      LOG.warn("scoring failed: {}", e.getClass().getName());
      respond(ctx, 500, ApiException.json(500, "scoring_failed", null, "the scorer failed"));
    }
    metrics.answered(ctx.statusCode(), Duration.ofNanos(nanoTime.getAsLong() - started));
  }

  private ObjectNode answer(Context ctx) throws ApiException, IOException, InterruptedException {
    // Bounds memory: a body and its images exist only while a slot is held.
    if (stopping) {
      throw ApiException.refused(503, "stopping", "this scorer is stopping: ask another one");
    }
    if (!slots.tryAcquire(1, TimeUnit.SECONDS)) {
      throw ApiException.refused(
          429, "too_many_requests", concurrent + " posts are worked on: try again later");
    }
    try {
      checkHeaders(ctx);
      ScoreRequest request = requests.read(bodies.read(ctx.req().getInputStream()));
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

  private static void respond(Context ctx, int status, ObjectNode answer) {
    if (status == 408) {
      ctx.header("Connection", "close");
    }
    if (status == 429 || status == 503) {
      ctx.header("Retry-After", "1");
    }
    ctx.status(status).contentType("application/json").result(answer.toString());
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
}
