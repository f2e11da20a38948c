package io.servedrift.ingest.gateway;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 in clear text for clients that begin with its preface (RFC 9113, section 3.3). The {@code
 * Upgrade: h2c} of earlier clients, which RFC 9113 withdrew, is ignored: they go on in HTTP/1.1.
 */
final class ClearTextHttp2 extends HTTP2CServerConnectionFactory {

  /** Requests under way on one connection. */
  static final int MAX_STREAMS = 256;

  /**
   * What an upload may send ahead of its upstream. Not below HTTP/2's own 65,535: a client may send
   * so much before it has heard of another window, and Jetty would reset it.
   */
  private static final int STREAM_WINDOW = 64 * 1024;

  /** Room for every stream's window, so that no upload that is held back holds back the others. */
  private static final int CONNECTION_WINDOW = MAX_STREAMS * STREAM_WINDOW;

  /**
   * Resets, pings, settings, empty frames and the like in a second, after which the connection is
   * closed: a client that asks and resets at once costs more than it pays (CVE-2023-44487). All
   * streams of a sound client may end in one second, when those behind a load balancer leave.
   */
  private static final int CONTROL_FRAMES_A_SECOND = 2 * MAX_STREAMS;

  /** With the windows of all streams: 512 MiB that clients may have sent ahead of upstreams. */
  static final int MAX_CONNECTIONS = 32;

  ClearTextHttp2(HttpConfiguration http, Duration clientTimeout) {
    super(http);
    setMaxConcurrentStreams(MAX_STREAMS);
    setInitialStreamRecvWindow(STREAM_WINDOW);
    setInitialSessionRecvWindow(CONNECTION_WINDOW);
    setRateControlFactory(new WindowRateControl.Factory(CONTROL_FRAMES_A_SECOND));
    setConnectProtocolEnabled(false);
    setStreamIdleTimeout(clientTimeout.toMillis());
  }

  @Override
  public @Nullable Connection upgradeConnection(
      Connector connector,
      EndPoint endPoint,
      MetaData.Request request,
      HttpFields.Mutable response101) {
    return HttpMethod.PRI.is(request.getMethod()) && sessions().getSize() < MAX_CONNECTIONS
        ? super.upgradeConnection(connector, endPoint, request, response101)
        : null;
  }

  /** Tells every client to open no more streams; done when those under way have ended. */
  CompletableFuture<Void> shutdown() {
    return sessions().shutdown();
  }

  private SessionContainer sessions() {
    return Objects.requireNonNull(getBean(SessionContainer.class));
  }
}
