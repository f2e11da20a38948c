package io.servedrift.ingest.gateway;

import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpScheme;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/2 as Jetty's proxy, made for HTTP/1.1, understands it: with a {@code Host}, and
 * with a body that says so where its length is not announced. A body that ends before or after the
 * announced length is a failure. Read by one thread at a time.
 */
final class Http2Request extends Request.Wrapper {

  private final HttpFields headers;
  private final AtomicReference<Content.@Nullable Chunk> first;
  private final HttpURI uri;
  private Content.@Nullable Chunk failure;
  private long seen;

  private Http2Request(Request request, Content.@Nullable Chunk first, boolean hasBody) {
    super(request);
    this.first = new AtomicReference<>(first);
    HttpFields.Mutable fields = HttpFields.build(request.getHeaders());
    if (!fields.contains(HttpHeader.HOST)) {
      fields.put(HttpHeader.HOST, request.getHttpURI().getAuthority());
    }
    if (hasBody && request.getLength() < 0) {
      fields.put(HttpHeader.TRANSFER_ENCODING, "chunked");
    }
    this.headers = fields;
    // What the client calls its scheme is no fact; that it is not encrypted here is one.
    this.uri = HttpURI.build(request.getHttpURI()).scheme(HttpScheme.HTTP).asImmutable();
    Request.addCompletionListener(request, failure -> releaseUnread());
  }

  static boolean is(Request request) {
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
  }

  /** The request to pass on; null when its body is not the one that it announces. */
  static @Nullable Request of(Request request) {
    // Nothing can fail it meanwhile: resets are read on the thread that reads its header. So a
    // failure listener that is added later is added in time.
    // What a client means as its end may come in the same frame as the header or later.
    Content.Chunk first = request.read();
    boolean empty =
        first != null && first.isLast() && !first.hasRemaining() && !Content.Chunk.isFailure(first);
    if (empty && request.getLength() > 0) {
      return null;
    }
    return new Http2Request(request, first, !empty);
  }

  private void releaseUnread() {
    Content.Chunk unread = first.getAndSet(null);
    if (unread != null) {
      unread.release();
    }
  }

  @Override
  public HttpFields getHeaders() {
    return headers;
  }

  @Override
  public HttpURI getHttpURI() {
    return uri;
  }

  /** A failure is told again to whoever reads again. */
  @Override
  public Content.@Nullable Chunk read() {
    if (failure != null) {
      return failure;
    }
    Content.Chunk early = first.getAndSet(null);
    Content.Chunk chunk = early == null ? super.read() : early;
    if (chunk == null || Content.Chunk.isFailure(chunk)) {
      return chunk;
    }
    seen += chunk.remaining();
    long announced = getLength();
    if (announced >= 0 && (seen > announced || (chunk.isLast() && seen < announced))) {
      chunk.release();
      failure =
          Content.Chunk.from(
              new HttpException.RuntimeException(
                  HttpStatus.BAD_REQUEST_400, "not the announced length"),
              true);
      return failure;
    }
    return chunk;
  }
}
