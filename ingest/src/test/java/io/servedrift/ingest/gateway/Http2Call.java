package io.servedrift.ingest.gateway;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.util.Callback;

/** One request of Jetty's HTTP/2 client, with prior knowledge. */
final class Http2Call implements Stream.Listener {

  private final boolean reads;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final CompletableFuture<MetaData.Response> head = new CompletableFuture<>();
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final CompletableFuture<Stream> stream;

  private Http2Call(Session session, MetaData.Request request, boolean ends, boolean reads) {
    this.reads = reads;
    this.stream = session.newStream(new HeadersFrame(request, null, ends), this);
  }

  static Session connect(HTTP2Client client, RunningGateway gateway) throws Exception {
    return client
        .connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.gateway.port()),
            new Session.Listener() {})
        .get(20, TimeUnit.SECONDS);
  }

  private static MetaData.Request request(
      RunningGateway gateway, String method, String path, HttpFields fields) {
    return new MetaData.Request(
        method, HttpURI.from(gateway.uri(path).toString()), HttpVersion.HTTP_2, fields, -1);
  }

  static Http2Call get(Session session, RunningGateway gateway, String path, HttpFields fields) {
    return new Http2Call(session, request(gateway, "GET", path, fields), true, true);
  }

  /** A body of which no length is announced. */
  static Http2Call post(Session session, RunningGateway gateway, String path, byte[] body)
      throws Exception {
    Http2Call call = begin(session, gateway, "POST", path, HttpFields.EMPTY, true);
    var unused = call.send(body, true);
    return call;
  }

  static Http2Call begin(
      Session session,
      RunningGateway gateway,
      String method,
      String path,
      HttpFields fields,
      boolean reads) {
    return new Http2Call(session, request(gateway, method, path, fields), false, reads);
  }

  /** Sends a part of the body; the future is done when it was sent. */
  CompletableFuture<Stream> send(byte[] part, boolean last) throws Exception {
    Stream open = stream.get(20, TimeUnit.SECONDS);
    return open.data(new DataFrame(open.getId(), ByteBuffer.wrap(part), last));
  }

  void reset() throws Exception {
    Stream open = stream.get(20, TimeUnit.SECONDS);
    open.reset(new ResetFrame(open.getId(), 8)).get(20, TimeUnit.SECONDS);
  }

  /** Begins to take the answer after all. */
  void read() throws Exception {
    drain(stream.get(20, TimeUnit.SECONDS));
  }

  MetaData.Response head() throws ExecutionException, InterruptedException, TimeoutException {
    return head.get(20, TimeUnit.SECONDS);
  }

  /** How it ended: {@code whole} or {@code reset CODE}. */
  String end() throws ExecutionException, InterruptedException, TimeoutException {
    return ended.get(60, TimeUnit.SECONDS);
  }

  byte[] body() {
    synchronized (body) {
      return body.toByteArray();
    }
  }

  String text() {
    return new String(body(), StandardCharsets.UTF_8);
  }

  @Override
  public void onHeaders(Stream open, HeadersFrame frame) {
    head.complete((MetaData.Response) frame.getMetaData());
    if (frame.isEndStream()) {
      ended.complete("whole");
    } else if (reads) {
      open.demand();
    }
  }

  @Override
  public void onDataAvailable(Stream open) {
    drain(open);
  }

  private void drain(Stream open) {
    while (true) {
      Stream.Data data = open.readData();
      if (data == null) {
        open.demand();
        return;
      }
      ByteBuffer bytes = data.frame().getByteBuffer();
      byte[] part = new byte[bytes.remaining()];
      bytes.get(part);
      synchronized (body) {
        body.writeBytes(part);
      }
      boolean last = data.frame().isEndStream();
      data.release();
      if (last) {
        ended.complete("whole");
        return;
      }
    }
  }

  @Override
  public void onReset(Stream open, ResetFrame frame, Callback callback) {
    ended.complete("reset " + frame.getError());
    callback.succeeded();
  }

  @Override
  public void onFailure(
      Stream open, int error, String reason, Throwable failure, Callback callback) {
    ended.complete("failed");
    callback.succeeded();
  }
}
