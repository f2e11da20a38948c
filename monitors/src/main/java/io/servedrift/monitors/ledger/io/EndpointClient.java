package io.servedrift.monitors.ledger.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.schemas.EventReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Asks an endpoint what it runs ({@code GET /server_info}, or {@code /get_server_info} where that
 * is not found). Thread-safe.
 */
public final class EndpointClient {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int LONGEST_ANSWER = 1 << 20;

  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(PATIENCE)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final String address;
  private final Duration patience;
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
    this(address, clock, token, told, PATIENCE);
  }

  EndpointClient(
      String address,
      Clock clock,
      @Nullable String token,
      UnaryOperator<JsonNode> told,
      Duration patience) {
    this.address = address;
    this.patience = patience;
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
    URI info = URI.create(address + "/server_info");
    Answer answer = get(info);
    if (answer.status() == 404) {
      info = URI.create(address + "/get_server_info"); // older releases of SGLang
      answer = get(info);
    }
    if (answer.status() != 200) {
      throw new IOException("HTTP " + answer.status() + "; must be 200");
    }
    if (answer.body().length > LONGEST_ANSWER) {
      throw new LedgerException(info + ": must be at most " + LONGEST_ANSWER + " bytes");
    }
    try {
      JsonNode said = new EventReader().strictJson().readTree(answer.body());
      return SystemCapture.of(told.apply(said), clock.instant());
    } catch (JsonProcessingException e) {
      throw new LedgerException(info + ": must be one JSON object", e);
    } catch (IllegalArgumentException e) {
      throw new LedgerException(info + ": " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Answer(int status, byte[] body) {}

  /** The whole answer within the patience: a body that never ends is no answer. */
  private Answer get(URI uri) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(patience).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    CompletableFuture<HttpResponse<Void>> call =
        http.sendAsync(
            request.build(),
            HttpResponse.BodyHandlers.ofByteArrayConsumer(
                part -> part.ifPresent(bytes -> keep(bytes, body))));
    try {
      int status = call.get(patience.toMillis(), TimeUnit.MILLISECONDS).statusCode();
      return new Answer(status, body.toByteArray());
    } catch (TimeoutException e) {
      throw new IOException("no whole answer within " + patience.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    } finally {
      call.cancel(true);
    }
  }

  /** One byte more than an answer may have tells that it is too long. */
  private static void keep(byte[] bytes, ByteArrayOutputStream body) {
    body.write(bytes, 0, Math.min(bytes.length, LONGEST_ANSWER + 1 - body.size()));
  }
}
