package io.servedrift.ingest.gateway;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's reverse proxy with one upstream, which tells {@link Measurements} what passes. Bodies go
 * through byte for byte as they come, no faster than the slower side takes them. Path and query go
 * to the upstream as the client wrote them. Thread-safe.
 */
final class MeasuringProxy extends ProxyHandler.Reverse {

  /** Runtimes on uvicorn close a silent connection after 5 s; whoever uses it then fails. */
  private static final int POOLED_IDLE_MILLIS = 4_000;

  private static final int CONNECT_MILLIS = 5_000;
  private static final int MAX_CONNECTIONS = 4_096;

  /** {@code Via} and {@code Forwarded}, which holds the client's {@code Host} once more. */
  private static final int ADDED_HEADER_BYTES = 1_024;

  private final GatewaySettings settings;
  private final Measurements measurements;
  private final String base;
  private final HttpURI baseUri;

  MeasuringProxy(GatewaySettings settings, Measurements measurements) {
    super(request -> HttpURI.from(settings.upstream()));
    this.settings = settings;
    this.measurements = measurements;
    this.baseUri = HttpURI.from(settings.upstream());
    String text = settings.upstream().toString();
    this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    setProxyToServerHost(settings.upstream().getRawAuthority());
    setViaHost("servedrift");
  }

  @Override
  protected HttpClient newHttpClient() {
    ClientConnector connector = new ClientConnector();
    connector.setSelectors(WatchingConnector.selectors());
    return new HttpClient(new HttpClientTransportOverHTTP(connector));
  }

  @Override
  protected void configureHttpClient(HttpClient client) {
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setUserAgentField(null);
    client.setMaxConnectionsPerDestination(MAX_CONNECTIONS);
    client.setConnectTimeout(CONNECT_MILLIS);
    client.setIdleTimeout(POOLED_IDLE_MILLIS);
    client.setMaxRequestHeadersSize(Gateway.MAX_HEADER_BYTES * 2 + ADDED_HEADER_BYTES);
    client.setMaxResponseHeadersSize(Gateway.MAX_HEADER_BYTES);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    if (request.getMethod().equals("CONNECT")) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
      Response.writeError(request, response, callback, HttpStatus.METHOD_NOT_ALLOWED_405);
      return true;
    }
    Request readable = request;
    if (Http2Request.is(request)) {
      readable = Http2Soundness.isSound(request) ? Http2Request.of(request) : null;
    }
    if (readable == null) {
      Response.writeError(request, response, callback, HttpStatus.BAD_REQUEST_400);
      return true;
    }
    Exchange exchange = measurements.begin(request);
    new Passage(exchange).attachTo(request);
    try {
      return super.handle(readable, new NotingResponse(readable, response), callback);
    } catch (RuntimeException e) {
      measurements.giveUp(exchange);
      throw e;
    }
  }

  private static @Nullable Exchange exchange(Request request) {
    return Passage.of(request).exchange();
  }

  /** What is said to the gateway alone goes no further. */
  @Override
  protected void copyRequestHeaders(
      Request request, org.eclipse.jetty.client.Request upstreamRequest) {
    super.copyRequestHeaders(request, upstreamRequest);
    upstreamRequest.headers(
        headers -> {
          headers.remove(Measurements.PROMPT_CLASS).remove(CanaryPrompts.HEADER);
          // RFC 9113, section 8.2.3: HTTP/2 may split what HTTP/1.1 must have in one field.
          List<String> crumbs = headers.getValuesList(HttpHeader.COOKIE);
          if (Http2Request.is(request) && crumbs.size() > 1) {
            headers.put(HttpHeader.COOKIE, String.join("; ", crumbs));
          }
        });
  }

  /** {@link HttpURI#toURI} would encode again what is encoded, so the text is used as it came. */
  @Override
  protected org.eclipse.jetty.client.Request newProxyToServerRequest(
      Request request, HttpURI ignored) {
    String target = request.getHttpURI().getPathQuery();
    String whole = base + (target == null || target.equals("*") ? "/" : target);
    org.eclipse.jetty.client.Request made;
    try {
      made = getHttpClient().newRequest(new URI(whole));
    } catch (URISyntaxException odd) {
      made = getHttpClient().newRequest(baseUri.toURI()).path(whole.substring(authorityEnd()));
    }
    return made.method(request.getMethod())
        .idleTimeout(settings.upstreamTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private int authorityEnd() {
    int path = base.indexOf('/', base.indexOf("://") + 3);
    return path < 0 ? base.length() : path;
  }

  @Override
  protected org.eclipse.jetty.client.Request.Content newProxyToServerRequestContent(
      Request request, Response response, org.eclipse.jetty.client.Request upstreamRequest) {
    return new WatchedContent(request);
  }

  @Override
  protected void sendProxyToServerRequest(
      Request request,
      org.eclipse.jetty.client.Request upstreamRequest,
      Response response,
      Callback callback) {
    request.addFailureListener(failure -> clientGone(request, upstreamRequest, failure));
    request.setAttribute(
        Leave.class.getName(), (Leave) f -> clientGone(request, upstreamRequest, f));
    if (upstreamRequest.getBody() == null) {
      watch(request);
    }
    super.sendProxyToServerRequest(request, upstreamRequest, response, callback);
  }

  private void clientGone(
      Request request, org.eclipse.jetty.client.Request upstreamRequest, Throwable failure) {
    if (!Passage.of(request).isWhole()) {
      measurements.end(exchange(request), Outcome.CANCELLED);
      // How the abort ends shows where the answer's end is told.
      var unused = upstreamRequest.abort(failure);
    }
  }

  /** The client takes no more: it left, unless it has everything. */
  private void endAtClient(Request request) {
    Outcome outcome = Passage.of(request).isWhole() ? Outcome.COMPLETE : Outcome.CANCELLED;
    measurements.end(exchange(request), outcome);
  }

  /** What to do when the client leaves. */
  private interface Leave {
    void left(Throwable failure);
  }

  /** HTTP/2 reads all the time and tells by itself. */
  private static void watch(Request request) {
    if (Http2Request.is(request)) {
      return;
    }
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    if (endPoint instanceof WatchedEndPoint watched
        && request.getAttribute(Leave.class.getName()) instanceof Leave leave) {
      watched.watch(() -> leave.left(new ClientLeftException()));
    }
  }

  private static void unwatch(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    if (endPoint instanceof WatchedEndPoint watched) {
      watched.unwatch();
    }
  }

  @Override
  protected org.eclipse.jetty.client.Response.CompleteListener newServerToProxyResponseListener(
      Request request,
      org.eclipse.jetty.client.Request upstreamRequest,
      Response response,
      Callback callback) {
    return new Listener(request, upstreamRequest, response, callback);
  }

  @Override
  protected void onProxyToClientResponseComplete(
      Request request,
      org.eclipse.jetty.client.Request upstreamRequest,
      org.eclipse.jetty.client.Response upstreamResponse,
      Response response,
      Callback callback) {
    unwatch(request);
    measurements.end(exchange(request), Outcome.COMPLETE);
    super.onProxyToClientResponseComplete(
        request, upstreamRequest, upstreamResponse, response, callback);
  }

  @Override
  protected void onProxyToClientResponseFailure(
      Request request,
      org.eclipse.jetty.client.Request upstreamRequest,
      org.eclipse.jetty.client.Response upstreamResponse,
      Response response,
      Callback callback,
      Throwable failure) {
    unwatch(request);
    endAtClient(request);
    super.onProxyToClientResponseFailure(
        request, upstreamRequest, upstreamResponse, response, callback, failure);
  }

  /** An answer that has begun is cut off: an error written behind it would look like its end. */
  @Override
  protected void onServerToProxyResponseFailure(
      Request request,
      org.eclipse.jetty.client.Request upstreamRequest,
      org.eclipse.jetty.client.Response upstreamResponse,
      Response response,
      Callback callback,
      Throwable failure) {
    unwatch(request);
    measurements.end(exchange(request), outcome(failure));
    if (response.isCommitted() || failure instanceof ClientLeftException) {
      callback.failed(failure);
    } else {
      super.onServerToProxyResponseFailure(
          request, upstreamRequest, upstreamResponse, response, callback, failure);
    }
  }

  private static Outcome outcome(Throwable failure) {
    if (failure instanceof ClientLeftException) {
      return Outcome.CANCELLED;
    }
    if (failure instanceof ConnectException
        || failure instanceof SocketTimeoutException
        || failure instanceof UnresolvedAddressException
        || failure instanceof UnknownHostException) {
      return Outcome.UNREACHABLE;
    }
    return failure instanceof TimeoutException ? Outcome.TIMEOUT : Outcome.RESET;
  }

  /** The client closed its connection before its answer was whole. */
  private static final class ClientLeftException extends IOException implements QuietException {
    private static final long serialVersionUID = 1L;

    ClientLeftException() {
      super("the client left");
    }
  }

  /** Notices that the client does not take its answer. */
  private final class NotingResponse extends Response.Wrapper {

    NotingResponse(Request request, Response response) {
      super(request, response);
    }

    @Override
    public void write(boolean last, ByteBuffer bytes, Callback callback) {
      super.write(
          last,
          bytes,
          new Callback.Nested(callback) {
            @Override
            public void failed(Throwable failure) {
              endAtClient(getRequest());
              super.failed(failure);
            }
          });
    }
  }

  /**
   * Lets the request's bytes be seen as the upstream takes them, and tells who ended them early:
   * bytes that cannot be read are the client's doing, bytes nobody wants any more the upstream's.
   */
  private final class WatchedContent extends ProxyRequestContent {

    private final Request request;

    WatchedContent(Request request) {
      super(request);
      this.request = request;
    }

    @Override
    public Content.Chunk read() {
      Content.Chunk chunk = super.read();
      if (Content.Chunk.isFailure(chunk)) {
        endAtClient(request);
      } else if (chunk != null) {
        Exchange exchange = exchange(request);
        if (exchange != null) {
          exchange.askContent(chunk.getByteBuffer());
        }
        if (chunk.isLast()) {
          watch(request);
        }
      }
      return chunk;
    }

    /**
     * Jetty would fail the client's request with this, on the upstream's thread: it then looks as
     * if the client had left, and reads what another thread may be reading. Who completes the
     * request looks after what was not read.
     */
    @Override
    public void fail(Throwable failure, boolean last) {
      measurements.end(exchange(request), outcome(failure));
    }
  }

  /** Lets the answer be seen; looking at a chunk costs a copy or the parsing of one event. */
  private final class Listener extends ProxyResponseListener {

    private final Request request;
    private final Response response;

    Listener(
        Request request,
        org.eclipse.jetty.client.Request upstreamRequest,
        Response response,
        Callback callback) {
      super(request, upstreamRequest, response, callback);
      this.request = request;
      this.response = response;
    }

    /** Jetty's proxy does so in requests only: RFC 9110, section 7.6.1, says both. */
    private void removeHopHeaders(org.eclipse.jetty.client.Response upstreamResponse) {
      for (String name : upstreamResponse.getHeaders().getCSV(HttpHeader.CONNECTION, false)) {
        if (!HttpHeader.CONTENT_LENGTH.is(name) && !HttpHeader.TRANSFER_ENCODING.is(name)) {
          response.getHeaders().remove(name);
        }
      }
    }

    @Override
    public void onBegin(org.eclipse.jetty.client.Response upstreamResponse) {
      super.onBegin(upstreamResponse);
      Exchange exchange = exchange(request);
      if (exchange != null) {
        exchange.answerBegins(upstreamResponse.getStatus());
      }
    }

    @Override
    public void onHeaders(org.eclipse.jetty.client.Response upstreamResponse) {
      super.onHeaders(upstreamResponse);
      removeHopHeaders(upstreamResponse);
      Passage.of(request).answerHeaders(upstreamResponse);
      Exchange exchange = exchange(request);
      if (exchange != null) {
        exchange.answerHeaders(
            upstreamResponse.getHeaders().get(HttpHeader.CONTENT_TYPE),
            upstreamResponse.getHeaders().get(HttpHeader.CONTENT_ENCODING),
            upstreamResponse.getHeaders().get("X-Request-Id"));
      }
    }

    @Override
    public void onContent(
        org.eclipse.jetty.client.Response upstreamResponse,
        Content.Chunk chunk,
        Runnable demander) {
      Passage passage = Passage.of(request);
      if (passage.exchange() != null) {
        passage.exchange().answerContent(chunk.getByteBuffer());
      }
      // After what it counts was kept: from the last byte on the client may end it.
      passage.answerBytes(chunk.remaining());
      super.onContent(upstreamResponse, chunk, demander);
    }

    @Override
    public void onSuccess(org.eclipse.jetty.client.Response upstreamResponse) {
      Passage passage = Passage.of(request);
      passage.answerEnds();
      if (passage.exchange() != null) {
        passage.exchange().answerWhole();
      }
      super.onSuccess(upstreamResponse);
    }
  }
}
