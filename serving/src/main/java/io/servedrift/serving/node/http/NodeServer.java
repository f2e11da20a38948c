package io.servedrift.serving.node.http;

import io.javalin.Javalin;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpServerFactory;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.serving.node.NodeState;
import io.servedrift.serving.node.ServingNode;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's HTTP server. With a token, everything but {@code /health} and {@code /metrics} demands
 * it. Thread-safe.
 */
public final class NodeServer implements AutoCloseable {

  private static final List<String> GUARDED = List.of("/v1/*", "/server_info", "/admin/*");

  /** Seeds as clients can write them in JSON without losing digits: up to 2^53. */
  private static final long SEEDS = 1L << 53;

  /** How long {@link #close} waits for calls to be sent and answers to be taken. */
  public static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);

  private final Javalin server;
  private final ConnectionWatch connections = new ConnectionWatch();
  private final Answers answers = new Answers();

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
            new ImageCallReader(state.engine()::model, limits, seeds()),
            node.images(),
            connections,
            answers,
            InstantSource.system());
    server =
        HttpServerFactory.create(
            settings,
            LONGEST_STOP,
            config -> {
              ApiErrors.addTo(config);
              if (token != null) {
                GUARDED.forEach(path -> config.routes.before(path, token));
              }
              config.routes.post("/v1/images/generations", images);
              new InfoEndpoints(state, limits, InstantSource.system().instant()).addTo(config);
              new AdminEndpoints(body, node.administration(), limits.maxImages()).addTo(config);
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

  /** How many watched connections sent the next call early. */
  long pipelined() {
    return connections.pipelined();
  }

  /** How many answers are being written. */
  int answering() {
    return answers.size();
  }

  /**
   * Stops listening, after giving the calls that are being read or answered {@link #LONGEST_STOP};
   * what is not answered then is cut off.
   */
  @Override
  public void close() {
    int before = answers.notTaken();
    server.stop();
    // Jetty has ended those that were being written, or will.
    int cut = answers.notTaken() - before + answers.size();
    if (cut > 0) {
      LOG.warn("{} clients have not taken their answers within {}", cut, LONGEST_STOP);
    }
    connections.close();
  }
}
