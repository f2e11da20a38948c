package io.servedrift.serving.cli;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.FinishedImages;
import io.servedrift.serving.node.ServingNode;
import io.servedrift.serving.node.http.NodeServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node with its engine, publisher and server; opened in order, closed in reverse. */
final class RunningNode implements RunningServer {

  private static final Logger LOG = LoggerFactory.getLogger(RunningNode.class);

  /** In the order of closing: the server answers while the node drains. */
  private final List<AutoCloseable> closing = new ArrayList<>();

  private final ListenOptions listen;
  private final int port;
  private final ServingNode node;

  private RunningNode(ServeOptions options, EngineLoader loader) {
    listen = options.listen();
    boolean started = false;
    try {
      Faults faults = new Faults(options.faults());
      ServingNode.Engine engine = engine(options, loader, faults);
      closing.add(engine.resources());
      EventPublisher publisher = options.publish().open();
      closing.add(0, publisher);
      Scoring scoring = scoring(options, publisher);
      if (scoring != null) {
        closing.add(0, scoring);
      }
      node =
          ServingNode.start(
              options.node(),
              engine,
              options.limits(),
              faults,
              new ServingNode.Outlets(
                  publisher,
                  publisher::metrics,
                  options.hash(),
                  scoring == null ? FinishedImages.NONE : scoring.images()));
      closing.add(0, node);
      port = server(options, scoring == null ? List.of() : List.of(scoring.metrics()));
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /**
   * Starts everything.
   *
   * @throws StartException when something cannot start; nothing of it stays behind
   */
  static RunningNode start(ServeOptions options, EngineLoader loader) {
    return new RunningNode(options, loader);
  }

  private static ServingNode.Engine engine(
      ServeOptions options, EngineLoader loader, Faults faults) {
    try {
      return loader.load(options.engine(), faults);
    } catch (IOException | IllegalArgumentException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static @Nullable Scoring scoring(ServeOptions options, EventPublisher publisher) {
    Path directory = options.scorer();
    if (directory == null) {
      return null;
    }
    try {
      return Scoring.start(
          directory,
          options.engine().device(),
          options.node().deployment(),
          options.scoreShare(),
          publisher);
    } catch (IOException | IllegalArgumentException e) {
      throw new StartException("scorer: " + e.getMessage(), e);
    }
  }

  private int server(ServeOptions options, List<MultiCollector> metrics) {
    NodeServer server =
        listen.start(
            () -> NodeServer.start(listen.http(), listen.token(), options.api(), node, metrics));
    closing.add(1, server);
    return server.port();
  }

  @Override
  public CompletableFuture<Void> failure() {
    return node.state().scheduler().failure();
  }

  @Override
  public String address() {
    return listen.url(port);
  }

  @Override
  public void close() {
    for (AutoCloseable part : closing) {
      try {
        part.close();
      } catch (Exception e) {
        LOG.warn("{} did not close: {}", part.getClass().getSimpleName(), e.getClass().getName());
      }
    }
    closing.clear();
  }
}
