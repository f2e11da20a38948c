package io.servedrift.monitors.report;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the outputs of requests can be looked at: a URL pattern with {@code {request_id}} in it.
 * Request ids come from outside, so they are encoded whole and cannot leave their place in the URL.
 * Immutable.
 */
public final class OutputLinks {
  /** What stands for the request in a pattern. */
  public static final String REQUEST_ID = "{request_id}";

  /** No output store is known: no links. */
  public static final OutputLinks NONE = new OutputLinks(null);

  private final @Nullable String pattern;

  private OutputLinks(@Nullable String pattern) {
    this.pattern = pattern;
  }

  /**
   * Links by this pattern.
   *
   * @throws IllegalArgumentException when it is no http or https URL, names a password, or lacks
   *     the request id
   */
  public static OutputLinks of(String pattern) {
    if (!pattern.contains(REQUEST_ID)) {
      throw new IllegalArgumentException(pattern + ": must contain " + REQUEST_ID);
    }
    URI uri;
    try {
      uri = new URI(pattern.replace(REQUEST_ID, "r"));
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(pattern + ": is no URL: " + e.getReason(), e);
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null) {
      throw new IllegalArgumentException(pattern + ": must be an http:// or https:// URL");
    }
    int path = pattern.indexOf('/', pattern.indexOf("//") + 2);
    if (path < 0 || pattern.indexOf(REQUEST_ID) < path) {
      throw new IllegalArgumentException(
          pattern + ": " + REQUEST_ID + " must stand behind the host, not in it");
    }
    if (uri.getUserInfo() != null) {
      throw new IllegalArgumentException("output URL: must not hold a user or a password");
    }
    return new OutputLinks(pattern);
  }

  /** The link of a request; empty when there is no pattern. */
  Optional<String> link(String requestId) {
    // As segments of a path these two would mean another folder, encoded or not.
    boolean folder = requestId.equals(".") || requestId.equals("..");
    return pattern == null || folder
        ? Optional.empty()
        : Optional.of(pattern.replace(REQUEST_ID, encoded(requestId)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
