package io.servedrift.serving.score.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.serving.score.CombiningScorer;
import io.servedrift.serving.score.ScorerModel;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The scorer's HTTP server: {@code POST /v1/scores}, {@code GET /health}, {@code GET /metrics}.
 * Running from {@link #start} to {@link #close}. Thread-safe.
 */
public final class ScorerService implements AutoCloseable {

  private final ScorerModel model;
  private final ScorerServiceSettings settings;
  private final ScorerServiceMetrics metrics;
  private final ScoresEndpoint scores;
  private final Javalin server;

  private ScorerService(
      ScorerModel model, @Nullable EventSink sink, ScorerServiceSettings settings) {
    this.model = model;
    this.settings = settings;
    this.metrics = new ScorerServiceMetrics(model);
    this.scores =
        new ScoresEndpoint(
            new CombiningScorer(model, ScorerModel.MAX_BATCH),
            model.name(),
            sink,
            settings.limits(),
            metrics,
            InstantSource.system(),
            System::nanoTime);
    this.server =
        HttpServerFactory.create(settings.http(), settings.limits().drainTimeout(), this::routes);
  }

  /**
   * Starts the server.
   *
   * @param model what scores; stays the caller's, to be closed after this
   * @param sink where scores of posts with a deployment and a request id go; {@code null} refuses
   *     such posts; the same
   * @throws IllegalArgumentException when certificate or key cannot be loaded
   * @throws io.javalin.util.JavalinException when the port cannot be bound
   */
  public static ScorerService start(
      ScorerModel model, @Nullable EventSink sink, ScorerServiceSettings settings) {
    ScorerService service = new ScorerService(model, sink, settings);
    service.server.start();
    return service;
  }

  /** The port it listens on. */
  public int port() {
    return server.port();
  }

  private void routes(JavalinConfig config) {
    if (settings.token() != null) {
      config.routes.before("/v1/*", settings.token());
    }
    config.routes.post("/v1/scores", scores);
    config.routes.get("/health", this::health);
    config.routes.get("/metrics", this::metrics);
    config.routes.exception(HttpResponseException.class, ScorerService::openAiError);
  }

  private void health(Context ctx) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode().put("status", "ok");
    ObjectNode scorers = answer.putObject("scorers");
    new TreeMap<>(model.scorers()).forEach(scorers::put);
    ctx.contentType("application/json").result(answer.toString());
  }

  private void metrics(Context ctx) throws IOException {
    ScorerServiceMetrics.Page page = metrics.page(ctx.header("Accept"));
    ctx.contentType(page.contentType()).header("Cache-Control", "no-store").result(page.content());
  }

  private static void openAiError(HttpResponseException e, Context ctx) {
    String code =
        e.getStatus() == 401
            ? "invalid_api_key"
            : "http_" + String.format(Locale.ROOT, "%d", e.getStatus());
    ctx.status(e.getStatus())
        .contentType("application/json")
        .result(
            ApiException.json(e.getStatus(), code, null, String.valueOf(e.getMessage()))
                .toString());
  }

  /**
   * Takes no more posts, answers those in work within the drain time-out and those that are being
   * sent within the same time again, and stops.
   */
  @Override
  public void close() {
    scores.drain(settings.limits().drainTimeout());
    server.stop();
    scores.close();
  }
}
