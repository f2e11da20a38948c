package io.servedrift.ingest.gateway;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/2 as Jetty's proxy, made for HTTP/1.1, understands it: a body without announced
 * length, which HTTP/2 may have, says so as a body in chunks does. Read by one thread at a time.
 */
final class Http2Request extends Request.Wrapper {

  /** Fields of one HTTP/1.1 connection, which HTTP/2 forbids: RFC 9113, section 8.2.2. */
  private static final Set<String> FORBIDDEN =
      Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");

  private static final String TOKEN_SIGNS = "!#$%&'*+-.^_`|~";

  private final HttpFields headers;
  private final AtomicReference<Content.@Nullable Chunk> first;

  private Http2Request(Request request, Content.@Nullable Chunk first) {
    super(request);
    this.first = new AtomicReference<>(first);
    this.headers =
        HttpFields.build(request.getHeaders()).put(HttpHeader.TRANSFER_ENCODING, "chunked");
    Request.addCompletionListener(request, failure -> releaseUnread());
  }

  static boolean isHttp2(Request request) {
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
  }

  /** The request itself, or one that tells of its body. */
  static Request of(Request request) {
    if (request.getLength() >= 0) {
      return request;
    }
    Content.Chunk first = request.read();
    boolean empty = first != null && first.isLast() && !first.hasRemaining();
    return empty && !Content.Chunk.isFailure(first) ? request : new Http2Request(request, first);
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
  public Content.@Nullable Chunk read() {
    Content.Chunk chunk = first.getAndSet(null);
    return chunk == null ? super.read() : chunk;
  }

  /**
   * Whether a request means the same when it is written down in HTTP/1.1. What a frame of HTTP/2
   * can carry and a line cannot - a line end in a value, a space in a method - would be a second
   * request to the upstream: RFC 9113, sections 8.2.1, 8.3.1 and 10.3.
   */
  static boolean isSound(Request request) {
    String target = request.getHttpURI().getPathQuery();
    if (!isToken(request.getMethod()) || (target != null && !isTarget(target))) {
      return false;
    }
    for (HttpField field : request.getHeaders()) {
      if (!isToken(field.getName())
          || FORBIDDEN.contains(field.getName().toLowerCase(Locale.ROOT))
          || !isValue(field.getValue())) {
        return false;
      }
    }
    return request.getHeaders().getFields(HttpHeader.CONTENT_LENGTH).size() <= 1
        && request.getHeaders().getFields(HttpHeader.HOST).size() <= 1;
  }

  private static boolean isToken(String text) {
    return !text.isEmpty()
        && text.chars()
            .allMatch(
                c ->
                    (c >= '0' && c <= '9')
                        || (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || TOKEN_SIGNS.indexOf(c) >= 0);
  }

  private static boolean isTarget(String target) {
    return (target.startsWith("/") || target.equals("*"))
        && target.chars().allMatch(c -> c > ' ' && c != 0x7f);
  }

  private static boolean isValue(@Nullable String value) {
    return value == null
        || (value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f))
            && value.strip().equals(value));
  }
}
