package io.servedrift.ingest.gateway;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Accepts connections that can be watched for their client's leaving. */
final class WatchingConnector extends ServerConnector {

  private static final int MOST_SELECTORS = 16;

  WatchingConnector(Server server, ConnectionFactory... protocols) {
    super(server, -1, selectors(), protocols);
  }

  /** As many as processors: Jetty takes half of them for clients and one for upstreams. */
  static int selectors() {
    return Math.min(MOST_SELECTORS, Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    SocketChannelEndPoint endPoint =
        new WatchedEndPoint(channel, selector, key, getScheduler(), getExecutor());
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }
}
