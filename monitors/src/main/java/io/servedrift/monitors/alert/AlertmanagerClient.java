package io.servedrift.monitors.alert;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to one replica of Alertmanager: version 2 of its API, {@code POST /api/v2/alerts}. The
 * only class that does. Follows no redirect, so that what is secret reaches no other host.
 * Thread-safe.
 */
final class AlertmanagerClient {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_REASON = 300;

  /** Of an answer, bytes: more than a reason can need. */
  private static final int MOST_READ = 4 * LONGEST_REASON;

  private final HttpClient http;
  private final AlertmanagerAccess access;
  private final URI alerts;
  private final String name;

  /** What became of a request. */
  enum Outcome {
    /** Every alert was taken. */
    TAKEN,
    /**
     * An alert was refused for what it says. The valid ones of the same request were stored all the
     * same.
     */
    REFUSED,
    /** Nothing is known to have been taken; another time it may work. */
    FAILED
  }

  /**
   * The answer.
   *
   * @param reason for logs, when it is not taken
   */
  record Answer(Outcome outcome, String reason) {}

  AlertmanagerClient(AlertmanagerAccess access, URI replica) {
    this.access = access;
    String base = replica.toString().replaceAll("/+$", "");
    this.alerts = URI.create(base + "/api/v2/alerts");
    this.name = base.replaceFirst("^[a-z]+://", "");
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

  /** Host, port and path of the replica. */
  String name() {
    return name;
  }

  /**
   * Sends alerts in one request. The timeout covers the answer to its last byte: that of the
   * request itself would end with the headers.
   *
   * @throws InterruptedException when the thread is interrupted meanwhile
   */
  Answer post(Collection<AlertMessage> messages) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(alerts)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body(messages)));
    access.headers().forEach(request::setHeader);
    CompletableFuture<HttpResponse<String>> response =
        http.sendAsync(request.build(), info -> new FirstBytes(MOST_READ));
    try {
      HttpResponse<String> got = response.get(access.timeout().toMillis(), TimeUnit.MILLISECONDS);
      return answer(got.statusCode(), got.body());
    } catch (TimeoutException e) {
      return new Answer(Outcome.FAILED, "timed out after " + access.timeout().toMillis() + " ms");
    } catch (ExecutionException e) {
      return new Answer(Outcome.FAILED, String.valueOf(e.getCause()));
    } finally {
      response.cancel(true);
    }
  }

  private static Answer answer(int status, String body) {
    String reason = "HTTP " + status + ": " + AnnotationText.oneLine(body, LONGEST_REASON);
    if (status / 100 == 2) {
      return new Answer(Outcome.TAKEN, "");
    }
    // 422 is the answer to a value of the wrong form, such as a generatorURL that is no URI.
    boolean refused = status == 400 || status == 422;
    return new Answer(refused ? Outcome.REFUSED : Outcome.FAILED, reason);
  }

  private static byte[] body(Collection<AlertMessage> messages) {
    try {
      return JSON.writeValueAsBytes(array(messages));
    } catch (IOException e) {
      throw new IllegalStateException("a tree of text can be written", e);
    }
  }

  /** Alerts in the form of Alertmanager's API, version 2. */
  static ArrayNode array(Collection<AlertMessage> messages) {
    ArrayNode body = JSON.createArrayNode();
    for (AlertMessage message : messages) {
      ObjectNode alert = body.addObject();
      ObjectNode labels = alert.putObject("labels");
      message.key().labels().forEach(labels::put);
      ObjectNode annotations = alert.putObject("annotations");
      new TreeMap<>(message.annotations()).forEach(annotations::put);
      alert.put("startsAt", message.startsAt().truncatedTo(ChronoUnit.MILLIS).toString());
      alert.put("endsAt", message.endsAt().truncatedTo(ChronoUnit.MILLIS).toString());
      alert.put("generatorURL", message.generatorUrl());
    }
    return body;
  }

  /**
   * The beginning of an answer as text. What is longer is not read, however long it is. For one
   * answer; called by the HTTP client, one call after the other.
   */
  private static final class FirstBytes implements BodySubscriber<String> {
    private final int most;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private final CompletableFuture<String> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription source;

    /**
     * Reads nothing yet.
     *
     * @param most bytes to read
     */
    FirstBytes(int most) {
      this.most = most;
    }

    @Override
    public CompletionStage<String> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      source = subscription;
      subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> items) {
      for (ByteBuffer item : items) {
        byte[] bytes = new byte[Math.min(item.remaining(), most - read.size())];
        item.get(bytes);
        read.writeBytes(bytes);
      }
      if (source == null) {
        return;
      }
      if (read.size() < most) {
        source.request(1);
      } else {
        source.cancel();
        onComplete();
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(read.toString(StandardCharsets.UTF_8));
    }
  }
}
