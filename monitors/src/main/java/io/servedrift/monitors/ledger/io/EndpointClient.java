package io.servedrift.monitors.ledger.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.schemas.EventReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Asks an endpoint what it runs ({@code GET /server_info}). Thread-safe. */
public final class EndpointClient {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int LONGEST_ANSWER = 1 << 20;

  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(PATIENCE)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final URI info;
  private final Clock clock;
  private final @Nullable String token;
  private final UnaryOperator<JsonNode> told;

  /**
   * @param address as {@link #address} gives it
   * @param clock says when it was asked
   * @param token bearer token of the endpoint; null for none
   * @param told makes an object with {@code config} and {@code model} of an answer that has a
   *     runtime's own form
   */
  public EndpointClient(
      String address, Clock clock, @Nullable String token, UnaryOperator<JsonNode> told) {
    this.info = URI.create(address + "/server_info");
    this.clock = clock;
    this.token = token;
    this.told = told;
  }

  /**
   * An address without user, password, query and fragment, and without a slash at its end.
   *
   * @throws IllegalArgumentException when it is no http or https address
   */
  public static String address(String url) {
    URI uri = URI.create(url.strip());
    String scheme = uri.getScheme() == null ? "" : uri.getScheme();
    if (!(scheme.equals("http") || scheme.equals("https")) || uri.getHost() == null) {
      throw new IllegalArgumentException("must be an http or https address");
    }
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
    return scheme + "://" + uri.getHost() + port + path;
  }

  /**
   * Captures the resolved configuration.
   *
   * @throws IOException when nobody answers, or with an error
   * @throws LedgerException when the answer names no configuration
   */
  public SystemCapture capture() throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(info).timeout(PATIENCE).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<InputStream> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    byte[] body;
    try (InputStream in = response.body()) {
      body = in.readNBytes(LONGEST_ANSWER + 1);
    }
    if (response.statusCode() != 200) {
      throw new IOException("HTTP " + response.statusCode() + "; must be 200");
    }
    if (body.length > LONGEST_ANSWER) {
      throw new LedgerException(info + ": must be at most " + LONGEST_ANSWER + " bytes");
    }
    try {
      JsonNode answer = new EventReader().strictJson().readTree(body);
      return SystemCapture.of(told.apply(answer), clock.instant());
    } catch (JsonProcessingException e) {
      throw new LedgerException(info + ": must be one JSON object", e);
    } catch (IllegalArgumentException e) {
      throw new LedgerException(info + ": " + e.getMessage(), e);
    }
  }
}
