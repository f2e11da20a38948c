package io.servedrift.monitors.alert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.servedrift.monitors.alert.AlertmanagerClient.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client and its sender against a server that answers as the test wants. */
class AlertmanagerClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<JsonNode> bodies = new ArrayList<>();
  private final List<Headers> headers = new ArrayList<>();
  private final CountDownLatch hang = new CountDownLatch(1);
  private volatile Function<JsonNode, Integer> answer = body -> 200;
  private HttpServer server;
  private ReplicaSender sender;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(
        Executors.newCachedThreadPool(
            run -> {
              Thread thread = new Thread(run);
              thread.setDaemon(true);
              return thread;
            }));
    server.createContext(
        "/am/api/v2/alerts",
        exchange -> {
          JsonNode body = new ObjectMapper().readTree(exchange.getRequestBody());
          synchronized (bodies) {
            bodies.add(body);
            headers.add(exchange.getRequestHeaders());
          }
          int status = answer.apply(body);
          byte[] text = (status == 200 ? "" : "because of \u0007 it").getBytes(UTF_8);
          exchange.sendResponseHeaders(status, text.length == 0 ? -1 : text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    hang.countDown();
    if (sender != null) {
      sender.close();
    }
    server.stop(0);
  }

  private AlertmanagerClient client(Map<String, String> with) {
    URI replica = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/am/");
    return new AlertmanagerClient(
        new AlertmanagerAccess(List.of(replica), with, null, Duration.ofMillis(500)), replica);
  }

  private ReplicaSender sender() {
    sender = new ReplicaSender(client(Map.of()), Clock.systemUTC());
    sender.start();
    return sender;
  }

  private static AlertMessage message(String deployment) {
    AlertKey key =
        AlertKey.of(
            AlertName.SCORE_SHIFT,
            AlertSeverity.PAGE,
            deployment,
            "",
            "c1",
            "clip",
            "mean",
            "worse");
    Instant at = Instant.parse("2026-11-30T10:00:00.123456Z");
    return new AlertMessage(
        key, at, at.plusSeconds(240), false, Map.of("cause", "cache"), "http://drift.example/");
  }

  private List<Integer> sizes() {
    synchronized (bodies) {
      return bodies.stream().map(JsonNode::size).toList();
    }
  }

  private static boolean holds(JsonNode body, String deployment) {
    return body.findValuesAsText("deployment").contains(deployment);
  }

  @Test
  void postsWhatVersion2Wants() throws Exception {
    assertThat(
            client(Map.of("Authorization", "Bearer secret", "X-Scope-OrgID", "tenant"))
                .post(List.of(message("image-gen")))
                .outcome())
        .isEqualTo(Outcome.TAKEN);
    JsonNode alert = bodies.get(0).get(0);
    assertThat(alert.path("labels").path("alertname").asText()).isEqualTo("ServedriftScoreShift");
    assertThat(alert.path("labels").path("model_id").asText()).as("never empty").isEqualTo("none");
    assertThat(alert.path("annotations").path("cause").asText()).isEqualTo("cache");
    assertThat(alert.path("startsAt").asText()).isEqualTo("2026-11-30T10:00:00.123Z");
    assertThat(alert.path("endsAt").asText()).isEqualTo("2026-11-30T10:04:00.123Z");
    assertThat(alert.path("generatorURL").asText()).isEqualTo("http://drift.example/");
    assertThat(headers.get(0).getFirst("Content-Type")).isEqualTo("application/json");
    assertThat(headers.get(0).getFirst("Authorization")).isEqualTo("Bearer secret");
    assertThat(headers.get(0).getFirst("X-Scope-OrgID")).isEqualTo("tenant");
  }

  @Test
  void tellsRefusalFromFailure() throws Exception {
    Map<Integer, Outcome> wanted =
        Map.of(
            200,
            Outcome.TAKEN,
            400,
            Outcome.REFUSED,
            422,
            Outcome.REFUSED,
            302,
            Outcome.FAILED,
            401,
            Outcome.FAILED,
            404,
            Outcome.FAILED,
            429,
            Outcome.FAILED,
            503,
            Outcome.FAILED);
    for (Map.Entry<Integer, Outcome> one : wanted.entrySet()) {
      answer = body -> one.getKey();
      AlertmanagerClient.Answer got = client(Map.of()).post(List.of(message("d")));
      assertThat(got.outcome()).as("HTTP %d", one.getKey()).isEqualTo(one.getValue());
      if (one.getKey() != 200) {
        assertThat(got.reason()).isEqualTo("HTTP " + one.getKey() + ": because of   it");
      }
    }
  }

  @Test
  void givesUpWaiting_whenThereIsNoAnswer() throws Exception {
    answer =
        body -> {
          try {
            hang.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return 200;
        };
    AlertmanagerClient.Answer got = client(Map.of()).post(List.of(message("d")));
    assertThat(got.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(got.reason()).contains("timed out");
  }

  @Test
  void findsTheRefusedOne_andSendsItNotAgainUntilItChanges() {
    answer = body -> holds(body, "bad") ? 400 : 200;
    List<AlertMessage> all = List.of(message("a"), message("bad"), message("b"));
    ReplicaSender sender = sender();
    sender.offer(all);
    await().atMost(PATIENCE).until(() -> sender.status().rejected() == 1);
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 2);
    assertThat(sizes()).containsExactly(3, 1, 1, 1);

    sender.offer(all);
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 4);
    assertThat(sizes()).containsExactly(3, 1, 1, 1, 2);
    assertThat(sender.status().failed()).isZero();
    assertThat(sender.status().problem()).isEmpty();

    answer = body -> 200;
    AlertMessage bad = message("bad");
    sender.offer(
        List.of(
            new AlertMessage(
                bad.key(), bad.startsAt(), bad.endsAt(), false, Map.of(), bad.generatorUrl())));
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 5);
    assertThat(sender.status().rejected()).isEqualTo(1);
  }

  @Test
  void triesAgain_withTheLatestVersionOnly_afterAFailure() {
    answer = body -> 503;
    ReplicaSender sender = sender();
    sender.offer(List.of(message("a")));
    await().atMost(PATIENCE).until(() -> sender.status().failed() >= 1);
    assertThat(sender.status().problem()).startsWith("HTTP 503");
    AlertMessage old = message("a");
    sender.offer(
        List.of(
            new AlertMessage(
                old.key(),
                old.startsAt(),
                old.endsAt(),
                false,
                Map.of("cause", "batching"),
                old.generatorUrl())));
    answer = body -> 200;
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 1);
    synchronized (bodies) {
      assertThat(bodies.get(bodies.size() - 1).findValuesAsText("cause"))
          .containsExactly("batching");
    }
    assertThat(sender.status().waiting()).isZero();
    assertThat(sender.status().problem()).isEmpty();
    assertThat(sender.status().lastSuccess()).isPresent();
  }

  @Test
  void sendsNothingMoreOf_whatWasWithdrawn() {
    answer = body -> 503;
    ReplicaSender sender = sender();
    sender.offer(List.of(message("a"), message("b")));
    await().atMost(PATIENCE).until(() -> sender.status().failed() >= 2);
    sender.withdraw(List.of(message("a").key()));
    answer = body -> 200;
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 1);
    synchronized (bodies) {
      assertThat(bodies.get(bodies.size() - 1).findValuesAsText("deployment")).containsExactly("b");
    }
    assertThat(sender.status().waiting()).isZero();
  }

  @Test
  void refusesAnAddressWithAPassword() {
    assertThatThrownBy(
            () ->
                new AlertmanagerAccess(
                    List.of(URI.create("http://user:secret@am:9093")),
                    Map.of(),
                    null,
                    Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without user name and password")
        .hasMessageNotContaining("secret");
  }
}
