package io.servedrift.ingest.gateway;

import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request of HTTP/2 means the same when it is written down in HTTP/1.1. What a frame can
 * carry and a line cannot - a line end in a value, a space in a method - would be a second request
 * to the upstream: RFC 9113, sections 8.2, 8.3 and 10.3. What Jetty refuses itself is not repeated.
 */
final class Http2Soundness {

  /** Fields of one HTTP/1.1 connection, which HTTP/2 forbids: section 8.2.2. */
  private static final Set<String> FORBIDDEN =
      Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");

  private static final String TOKEN_SIGNS = "!#$%&'*+-.^_`|~";
  private static final int MAX_LENGTH_DIGITS = 18;

  private Http2Soundness() {}

  static boolean isSound(Request request) {
    String target = request.getHttpURI().getPathQuery();
    String method = request.getMethod();
    if (!isToken(method) || target == null) {
      return false;
    }
    boolean form = target.startsWith("/") || (target.equals("*") && HttpMethod.OPTIONS.is(method));
    if (!form || !isTarget(target)) {
      return false;
    }
    for (HttpField field : request.getHeaders()) {
      if (!isSound(field)) {
        return false;
      }
    }
    return request.getHeaders().getFields(HttpHeader.CONTENT_LENGTH).size() <= 1
        && hasOneAuthority(request);
  }

  private static boolean isSound(HttpField field) {
    String value = field.getValue();
    return isToken(field.getName())
        && !FORBIDDEN.contains(field.getName().toLowerCase(Locale.ROOT))
        && isValue(value)
        && (field.getHeader() != HttpHeader.CONTENT_LENGTH || isLength(value));
  }

  /**
   * Section 8.3.1: {@code :authority} or {@code Host}, the same where both are given, and without
   * user name.
   */
  private static boolean hasOneAuthority(Request request) {
    String authority = request.getHttpURI().getAuthority();
    int hosts = request.getHeaders().getFields(HttpHeader.HOST).size();
    String host = request.getHeaders().get(HttpHeader.HOST);
    if (request.getHttpURI().getUser() != null || (host != null && host.indexOf('@') >= 0)) {
      return false;
    }
    return hosts == 0
        ? authority != null && isValue(authority)
        : hosts == 1 && (authority == null || authority.equalsIgnoreCase(host));
  }

  private static boolean isToken(String text) {
    return !text.isEmpty()
        && text.chars()
            .allMatch(
                c ->
                    isDigit(c)
                        || (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || TOKEN_SIGNS.indexOf(c) >= 0);
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  /** RFC 3986 knows ASCII only; another octet would be written in another way than it came. */
  private static boolean isTarget(String target) {
    return target.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }

  private static boolean isValue(@Nullable String value) {
    return value == null
        || (value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff))
            && value.strip().equals(value));
  }

  private static boolean isLength(@Nullable String value) {
    return value != null
        && !value.isEmpty()
        && value.length() <= MAX_LENGTH_DIGITS
        && value.chars().allMatch(Http2Soundness::isDigit);
  }
}
