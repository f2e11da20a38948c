package io.servedrift.ingest.gateway;

import io.servedrift.ingest.publish.EventSink;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running gateway. Traffic goes its way whatever becomes of the measuring: events wait in the
 * publisher's buffer, never a request for them. Thread-safe.
 */
public final class Gateway implements AutoCloseable {

  static final int MAX_HEADER_BYTES = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
  private static final int MAX_THREADS = 200;
  private static final Duration DRAIN = Duration.ofSeconds(10);
  private static final Duration LAST_READING = Duration.ofSeconds(5);

  /**
   * Path and query belong to the upstream, which judges them; the gateway decides nothing by them
   * but what it measures, so every form passes that is not a fault of HTTP itself.
   */
  private static final UriCompliance PATHS =
      UriCompliance.from(
          "RFC3986,AMBIGUOUS_PATH_SEGMENT,AMBIGUOUS_EMPTY_SEGMENT,AMBIGUOUS_PATH_SEPARATOR,"
              + "AMBIGUOUS_PATH_PARAMETER,AMBIGUOUS_PATH_ENCODING,SUSPICIOUS_PATH_CHARACTERS,"
              + "UTF16_ENCODINGS,BAD_UTF8_ENCODING");

  private final GatewaySettings settings;
  private final GatewayExtras extras;
  private final @Nullable ImageScoring scoring;
  private final @Nullable ConfigPoll config;
  private final @Nullable CanaryRounds rounds;
  private final GatewayCounts counts = new GatewayCounts();
  private final VideoJobs videos = new VideoJobs(counts, System::nanoTime);
  private final Measurements measurements;
  private final Server server;
  private final ServerConnector connector;
  private final ClearTextHttp2 http2;
  private final GracefulHandler underWay;

  /**
   * @param settings how it works
   * @param sink where events go
   * @param extras scorer, canary prompts, configuration
   * @param clock the clock of the events
   */
  public Gateway(GatewaySettings settings, EventSink sink, GatewayExtras extras, Clock clock) {
    this.settings = settings;
    this.extras = extras;
    this.scoring =
        extras.scorer() == null
            ? null
            : new ImageScoring(extras.scorer(), settings.deployment(), counts, sink, clock);
    this.config =
        extras.configEvery() == null ? null : new ConfigPoll(settings, sink, counts, clock);
    this.rounds =
        extras.canaries() == null
            ? null
            : new CanaryRounds(extras.canaries(), settings.upstreamTimeout(), counts);
    DraftPublisher drafts = new DraftPublisher(counts, sink, new Announcements(sink, clock));
    Recorder recorder =
        new Recorder(
            settings,
            counts,
            drafts,
            config == null ? ServingIdentity.UNKNOWN : config,
            extras.canaries(),
            new VideoPolls(settings, counts, videos, drafts),
            scoring == null ? List.of() : List.of(scoring));
    this.measurements = new Measurements(settings, counts, extras.canaries(), recorder, clock);
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
    threads.setName("gateway");
    this.server = new Server(threads);
    HttpConfiguration http = http(settings);
    this.http2 = new ClearTextHttp2(http, clientTimeout(settings));
    this.connector = new WatchingConnector(server, new HttpConnectionFactory(http), http2);
    connector.setHost(settings.host());
    connector.setPort(settings.port());
    connector.setIdleTimeout(clientTimeout(settings).toMillis());
    // Else a request whose answer is awaited would be cut off a second after the end is asked for.
    connector.setShutdownIdleTimeout(-1);
    server.addConnector(connector);
    server.setErrorHandler(new TerseErrors());
    MeasuringProxy proxy = new MeasuringProxy(settings, measurements);
    proxy.setUseServerThreadPool(true);
    this.underWay = new GracefulHandler(proxy);
    server.setHandler(underWay);
  }

  /** Longer than the upstream's, so that a silent upstream is told from a client that left. */
  private static Duration clientTimeout(GatewaySettings settings) {
    return settings.upstreamTimeout().plusSeconds(30);
  }

  private static HttpConfiguration http(GatewaySettings settings) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(MAX_HEADER_BYTES);
    http.setResponseHeaderSize(MAX_HEADER_BYTES);
    http.setHttpCompliance(HttpCompliance.RFC9110);
    http.setUriCompliance(PATHS);
    http.setIdleTimeout(clientTimeout(settings).toMillis());
    return http;
  }

  /**
   * Begins to take requests.
   *
   * @throws BindException when the address cannot be had
   */
  public void start() throws BindException {
    measurements.start();
    try {
      server.start();
    } catch (BindException taken) {
      throw taken;
    } catch (IOException e) {
      BindException refused = new BindException(e.getMessage());
      refused.initCause(e);
      throw refused;
    } catch (Exception e) {
      throw new IllegalStateException("the gateway cannot start", e);
    }
    if (scoring != null) {
      scoring.start();
    }
    if (config != null && extras.configEvery() != null) {
      config.start(extras.configEvery());
    }
    if (rounds != null) {
      rounds.start(ownAddress(), extras.canaryEvery());
    }
  }

  private URI ownAddress() {
    String host = settings.host();
    boolean any = host.equals("0.0.0.0") || host.equals("[::]") || host.equals("::");
    return URI.create("http://" + (any ? "127.0.0.1" : host) + ":" + port());
  }

  /** The port it listens on. */
  public int port() {
    return connector.getLocalPort();
  }

  /** What has passed. */
  public GatewayCounts counts() {
    return counts;
  }

  /** Measured requests under way. */
  public int running() {
    return measurements.running();
  }

  /** Queued videos whose end no poll has told yet. */
  public int videosWaiting() {
    return videos.size();
  }

  /** Bytes of bodies kept for measuring now. */
  public long capturedBytes() {
    return measurements.capturedBytes();
  }

  /**
   * Takes no more requests, lets those under way end for ten seconds, and measures what has ended.
   * Takes fifteen seconds at most; what was not measured by then is counted as such.
   */
  @Override
  public void close() {
    close(DRAIN, LAST_READING);
  }

  void close(Duration drain, Duration lastReading) {
    if (rounds != null) {
      rounds.close();
    }
    if (config != null) {
      config.close();
    }
    drain(drain);
    measurements.cutOff();
    try {
      server.stop();
    } catch (Exception e) {
      LOG.warn("the gateway did not stop cleanly: {}", e.toString());
    }
    measurements.close(lastReading);
    videos.close();
    if (scoring != null) {
      scoring.close();
    }
  }

  private void drain(Duration longest) {
    var unused = CompletableFuture.allOf(connector.shutdown(), http2.shutdown());
    try {
      underWay.shutdown().get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("{} requests under way are cut off", underWay.getCurrentRequestCount());
    } catch (ExecutionException e) {
      LOG.warn("the gateway cannot wait for requests under way: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
