package io.servedrift.serving.node.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when a client goes away while its answer is being made. Jetty reads nothing between the
 * end of a request and the end of its answer, so a closed connection would show only when the
 * answer is written; this looks at each such connection every 100 ms, without blocking.
 *
 * <p>A client that sends the next request before it has this answer (pipelining) is answered with
 * {@code Connection: close} and sends it again, as RFC 9112 section 9.3.2 demands. Thread-safe.
 */
final class ConnectionWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionWatch.class);

  private static final Duration LOOK = Duration.ofMillis(100);

  private final Set<Watched> connections = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "node-connections");
            thread.setDaemon(true);
            return thread;
          });

  /** Begins. */
  void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::lookAtAll, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void lookAtAll() {
    for (Watched watched : connections) {
      try {
        watched.look();
      } catch (RuntimeException e) {
        // One connection is not watched any more; an exception would end the watch of all.
        LOG.warn("a connection cannot be watched: {}", e.getClass().getName());
        watched.release();
      }
    }
  }

  /**
   * Watches the connection of a request whose body has been read.
   *
   * @param gone is run once when the client has gone
   */
  Watched watch(HttpServletRequest request, Runnable gone) {
    EndPoint endPoint =
        ServletContextRequest.getServletContextRequest(request)
            .getConnectionMetaData()
            .getConnection()
            .getEndPoint();
    return watch(endPoint, gone);
  }

  /** Watches a connection that nobody reads. */
  Watched watch(EndPoint endPoint, Runnable gone) {
    Watched watched = new Watched(endPoint, gone);
    connections.add(watched);
    return watched;
  }

  /** How many of those watched sent the next call early. */
  long pipelined() {
    return connections.stream().filter(Watched::isPipelined).count();
  }

  /** How many are watched now. */
  int size() {
    return connections.size();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** One connection. */
  final class Watched {
    private final EndPoint endPoint;
    private final Runnable gone;
    private boolean released;
    private boolean pipelined;

    private Watched(EndPoint endPoint, Runnable gone) {
      this.endPoint = endPoint;
      this.gone = gone;
    }

    /**
     * Gives the connection back to Jetty; to be called before the answer is written.
     *
     * @return whether the connection must be closed after the answer
     */
    synchronized boolean release() {
      released = true;
      connections.remove(this);
      return pipelined;
    }

    private synchronized boolean isPipelined() {
      return pipelined;
    }

    private synchronized void look() {
      if (released || pipelined || stays()) {
        return;
      }
      release();
      gone.run();
    }

    private boolean stays() {
      ByteBuffer read = BufferUtil.allocate(1);
      try {
        int n = endPoint.fill(read);
        pipelined = n > 0;
        return n >= 0;
      } catch (IOException broken) {
        return false;
      }
    }
  }
}
