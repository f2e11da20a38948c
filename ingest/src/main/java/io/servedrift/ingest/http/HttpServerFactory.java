package io.servedrift.ingest.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HttpResponseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the HTTP server of {@code run}: bound to loopback unless told otherwise, host names
 * checked, plain HTTP or TLS, nothing said about its software. Errors are {@code {"error":"..."}}.
 */
public final class HttpServerFactory {

  /** A connection that is silent for so long is closed. */
  private static final Duration IDLE = Duration.ofSeconds(30);

  private HttpServerFactory() {}

  /**
   * Makes a server; the caller starts and stops it.
   *
   * @param settings where to listen
   * @param routes adds routes, guards and further settings
   * @throws IllegalArgumentException when certificate or key cannot be loaded
   */
  public static Javalin create(HttpSettings settings, Consumer<JavalinConfig> routes) {
    return create(settings, Duration.ZERO, routes);
  }

  /**
   * Makes a server that answers whole when it stops; the caller starts and stops it.
   *
   * @param settings where to listen
   * @param stopWithin how long a stop waits for calls that are being read, worked on or answered,
   *     while new ones get 503; zero cuts them off
   * @param routes adds routes, guards and further settings
   * @throws IllegalArgumentException when certificate or key cannot be loaded
   */
  public static Javalin create(
      HttpSettings settings, Duration stopWithin, Consumer<JavalinConfig> routes) {
    KeyStores.@Nullable Loaded keys =
        settings.tls() == null ? null : KeyStores.load(settings.tls());
    List<String> names = new ArrayList<>(settings.allowedHosts());
    names.add(settings.host());
    return Javalin.create(
        config -> {
          config.startup.showJavalinBanner = false;
          config.startup.showOldJavalinVersionWarning = false;
          config.startup.startupWatcherEnabled = false;
          config.http.prefer405over404 = true;
          config.jetty.modifyHttpConfiguration(HttpServerFactory::keepQuiet);
          config.jetty.modifyServer(server -> server.setErrorHandler(new TerseErrors()));
          if (!stopWithin.isZero()) {
            config.jetty.modifyServer(server -> endInOrder(server, stopWithin));
          }
          config.jetty.addConnector((server, http) -> connector(server, http, settings, keys));
          config.routes.before(new HostCheck(names));
          config.routes.exception(
              HttpResponseException.class,
              (e, ctx) ->
                  ctx.status(e.getStatus())
                      .contentType("application/json")
                      .result(
                          JsonNodeFactory.instance
                              .objectNode()
                              .put("error", e.getMessage())
                              .toString()));
          routes.accept(config);
        });
  }

  private static void endInOrder(Server server, Duration stopWithin) {
    server.setHandler(new GracefulHandler());
    server.setStopTimeout(stopWithin.toMillis());
  }

  private static void keepQuiet(HttpConfiguration http) {
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
  }

  private static Connector connector(
      Server server,
      HttpConfiguration http,
      HttpSettings settings,
      KeyStores.@Nullable Loaded keys) {
    ServerConnector connector;
    if (keys == null) {
      connector = new ServerConnector(server, new HttpConnectionFactory(http));
    } else {
      SslContextFactory.Server tls = new SslContextFactory.Server();
      tls.setKeyStore(keys.keyStore());
      tls.setKeyStorePassword(keys.password());
      HttpConfiguration https = new HttpConfiguration(http);
      // Host names are HostCheck's business; a certificate for another name is the client's.
      https.addCustomizer(new SecureRequestCustomizer(false));
      connector =
          new ServerConnector(
              server, new SslConnectionFactory(tls, "http/1.1"), new HttpConnectionFactory(https));
    }
    connector.setHost(settings.host());
    connector.setPort(settings.port());
    connector.setIdleTimeout(IDLE.toMillis());
    return connector;
  }

  /** Jetty answers requests that never reach Javalin itself, and signs with its version. */
  private static final class TerseErrors extends ErrorHandler {
    TerseErrors() {
      setShowStacks(false);
      setShowCauses(false);
      setShowMessageInTitle(false);
      setDefaultResponseMimeType("application/json");
    }
  }
}
