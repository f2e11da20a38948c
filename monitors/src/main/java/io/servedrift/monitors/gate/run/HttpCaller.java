package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.AnswerStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Speaks HTTP/1.1 to one endpoint. The timeout covers an answer to its last byte, its size is
 * limited while it is read, no redirect is followed. Thread-safe.
 */
final class HttpCaller implements Caller {
  private final EndpointAccess access;
  private final Timeline timeline;
  private final HttpClient http;

  HttpCaller(EndpointAccess access, Timeline timeline) {
    this.access = access;
    this.timeline = timeline;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(access.timeout())
            .followRedirects(HttpClient.Redirect.NEVER);
    if (access.tls() != null) {
      builder.sslContext(access.tls());
    }
    this.http = builder.build();
  }

  @Override
  public CompletableFuture<Reply> send(Call call) {
    CompletableFuture<HttpResponse<LimitedBody.Content>> response =
        http.sendAsync(request(call), info -> new LimitedBody(access.maxBytes(), timeline::nanos));
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    var unused =
        response
            .copy()
            .orTimeout(access.timeout().toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (got, failure) -> {
                  reply.complete(got == null ? failed(failure) : answered(got));
                  response.cancel(true);
                });
    giveUpWith(reply, response);
    return reply;
  }

  /** Who cancels the reply cancels the exchange. */
  private static void giveUpWith(CompletableFuture<Reply> reply, CompletableFuture<?> response) {
    var unused =
        reply.whenComplete(
            (got, failure) -> {
              if (failure != null) {
                response.cancel(true);
              }
            });
  }

  private HttpRequest request(Call call) {
    HttpRequest.Builder request = HttpRequest.newBuilder(access.at(call.path()));
    if (call.body() == null) {
      request.GET();
    } else {
      request
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofByteArray(call.body()));
    }
    if (call.requestId() != null) {
      request.header("X-Request-Id", call.requestId());
    }
    if (call.path().startsWith("/admin/")) {
      // What this project's node asks of who administrates it.
      request.header("X-Servedrift-Admin", "gate");
    }
    if (access.token() != null) {
      request.header("Authorization", "Bearer " + access.token());
    }
    return request.build();
  }

  private static Reply answered(HttpResponse<LimitedBody.Content> response) {
    LimitedBody.Content body = response.body();
    int status = response.statusCode();
    if (status / 100 != 2) {
      AnswerStatus ended = status == 504 ? AnswerStatus.TIMEOUT : AnswerStatus.ERROR;
      return new Reply(ended, "http_" + status, new byte[0], body.doneNanos(), List.of());
    }
    if (body.tooLarge()) {
      return Reply.failed(AnswerStatus.ERROR, "answer_too_large", body.doneNanos());
    }
    return new Reply(AnswerStatus.OK, null, body.bytes(), body.doneNanos(), body.marks());
  }

  private Reply failed(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    long now = timeline.nanos();
    if (cause instanceof CancellationException) {
      return Reply.failed(AnswerStatus.CANCELLED, "given_up", now);
    }
    if (cause instanceof HttpConnectTimeoutException) {
      return Reply.failed(AnswerStatus.ERROR, "connect", now);
    }
    if (cause instanceof TimeoutException) {
      return Reply.failed(AnswerStatus.TIMEOUT, "timeout", now);
    }
    return Reply.failed(AnswerStatus.ERROR, code(cause), now);
  }

  private static String code(Throwable cause) {
    if (cause instanceof ConnectException) {
      return "connect";
    }
    if (cause instanceof SSLException) {
      return "tls";
    }
    if (cause instanceof ClosedChannelException) {
      return "connection_lost";
    }
    return cause instanceof IOException ? "broken_answer" : "client_failure";
  }
}
