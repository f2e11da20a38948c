package io.servedrift.serving.node.http;

import io.javalin.Javalin;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.serving.node.NodeState;
import io.servedrift.serving.node.ServingNode;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The node's HTTP server. With a token, everything but {@code /health} and {@code /metrics} demands
 * it. Thread-safe.
 */
public final class NodeServer implements AutoCloseable {

  private static final List<String> GUARDED = List.of("/v1/*", "/server_info", "/admin/*");

  /** Seeds as clients can write them in JSON without losing digits: up to 2^53. */
  private static final long SEEDS = 1L << 53;

  private final Javalin server;
  private final ConnectionWatch connections = new ConnectionWatch();

  private NodeServer(
      HttpSettings settings,
      @Nullable BearerToken token,
      ApiLimits limits,
      ServingNode node,
      List<MultiCollector> moreMetrics) {
    NodeState state = node.state();
    JsonBody body = new JsonBody(limits.maxBodyBytes());
    ImagesEndpoint images =
        new ImagesEndpoint(
            body,
            new ImageCallReader(state.engine().model(), limits, seeds()),
            node.images(),
            connections,
            InstantSource.system());
    server =
        HttpServerFactory.create(
            settings,
            config -> {
              ApiErrors.addTo(config);
              if (token != null) {
                GUARDED.forEach(path -> config.routes.before(path, token));
              }
              config.routes.post("/v1/images/generations", images);
              new InfoEndpoints(state, limits, InstantSource.system().instant()).addTo(config);
              new AdminEndpoints(body, node.administration(), state.scheduler()).addTo(config);
              config.routes.get("/metrics", new NodeMetrics(state, moreMetrics));
            });
  }

  private static LongSupplier seeds() {
    SecureRandom random = new SecureRandom();
    return () -> random.nextLong(SEEDS);
  }

  /**
   * Starts to listen.
   *
   * @param token what is demanded; {@code null} for nothing
   * @param moreMetrics further metrics to show, such as the scorer's
   * @throws IllegalArgumentException when certificate or key cannot be loaded
   * @throws io.javalin.util.JavalinException when the address cannot be had
   */
  public static NodeServer start(
      HttpSettings settings,
      @Nullable BearerToken token,
      ApiLimits limits,
      ServingNode node,
      List<MultiCollector> moreMetrics) {
    NodeServer started = new NodeServer(settings, token, limits, node, moreMetrics);
    started.connections.start();
    started.server.start();
    return started;
  }

  /** The port it listens on. */
  public int port() {
    return server.port();
  }

  /** Stops listening; calls that are not answered yet are cut off. */
  @Override
  public void close() {
    server.stop();
    connections.close();
  }
}
