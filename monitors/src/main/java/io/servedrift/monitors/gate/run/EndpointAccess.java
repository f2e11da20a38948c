package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How an endpoint is reached. Immutable.
 *
 * @param base address; {@code /v1/...} is appended to its path
 * @param token bearer token; never shown
 * @param tls null for the Java platform's
 * @param timeout of a request, to the last byte of its answer
 * @param maxBytes of an answer
 * @param told makes an object with {@code config} and {@code model} of what the endpoint answers
 *     when it is asked what it runs
 */
public record EndpointAccess(
    URI base,
    @Nullable String token,
    @Nullable SSLContext tls,
    Duration timeout,
    int maxBytes,
    UnaryOperator<JsonNode> told) {

  /** The same for an endpoint that answers with these objects, as this project's node does. */
  public EndpointAccess(
      URI base, @Nullable String token, @Nullable SSLContext tls, Duration timeout, int maxBytes) {
    this(base, token, tls, timeout, maxBytes, UnaryOperator.identity());
  }

  /**
   * Reads an address.
   *
   * @param option whose value it is, for the message
   * @throws GateInputException unless it is http or https with a host, without user, query and
   *     fragment; the message shows no user
   */
  public static URI address(String option, String text) throws GateInputException {
    URI uri;
    try {
      uri = URI.create(text.replaceAll("/+$", ""));
    } catch (IllegalArgumentException e) {
      throw new GateInputException(option + ": must be an http or https address");
    }
    boolean web =
        "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    if (!web
        || uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw new GateInputException(
          option
              + ": must be http://HOST:PORT or https://HOST:PORT, without user, query or fragment");
    }
    return uri;
  }

  /** Address of a path below the base. */
  URI at(String path) {
    return URI.create(base + path);
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
