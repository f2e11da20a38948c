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

  WatchingConnector(Server server, ConnectionFactory... protocols) {
    super(server, protocols);
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
