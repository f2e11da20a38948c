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
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client and its sender against a server that answers as the test wants. */
@Timeout(120)
class AlertmanagerClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<JsonNode> bodies = new ArrayList<>();
  private final List<Headers> headers = new ArrayList<>();
  private final CountDownLatch hang = new CountDownLatch(1);
  private volatile Function<JsonNode, Integer> answer = body -> 200;

  /** Goes on with an answer that has begun. */
  private volatile @Nullable Tail tail;

  private volatile Instant now = Instant.parse("2026-11-30T10:00:00Z");
  private HttpServer server;
  private ReplicaSender sender;

  private interface Tail {
    void write(OutputStream to) throws IOException, InterruptedException;
  }

  private final class TestClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

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
          Tail goesOn = tail;
          if (goesOn != null) {
            exchange.sendResponseHeaders(status, 0);
            try {
              goesOn.write(exchange.getResponseBody());
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return;
          }
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
    return sender(Map.of());
  }

  private ReplicaSender sender(Map<String, String> with) {
    sender = new ReplicaSender(client(with), new TestClock());
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
  void givesUpWaiting_whenAnAnswerStalls() throws Exception {
    tail =
        to -> {
          to.write('x');
          to.flush();
          hang.await();
        };
    for (int status : new int[] {200, 503}) {
      answer = body -> status;
      AlertmanagerClient.Answer got = client(Map.of()).post(List.of(message("d")));
      assertThat(got.outcome()).as("HTTP %d", status).isEqualTo(Outcome.FAILED);
      assertThat(got.reason()).contains("timed out");
    }
  }

  @Test
  void readsTheBeginning_ofAnAnswerWithoutEnd() throws Exception {
    answer = body -> 503;
    tail =
        to -> {
          while (true) {
            to.write("because of it, ".getBytes(UTF_8));
          }
        };
    AlertmanagerClient.Answer got = client(Map.of()).post(List.of(message("d")));
    assertThat(got.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(got.reason()).startsWith("HTTP 503: because of it, ").hasSizeLessThan(400);
  }

  @Test
  void goesOnAndTellsNoSecret_whenAHeaderCannotBeSent() {
    ReplicaSender sender = sender(Map.of("Authorization", "Bearer \u0416hidden"));
    sender.offer(List.of(message("a")));
    await().atMost(PATIENCE).until(() -> sender.status().failed() >= 2);
    assertThat(sender.status().running()).isTrue();
    assertThat(sender.status().problem())
        .isEqualTo("cannot send: java.lang.IllegalArgumentException");
  }

  @Test
  void isNotRunningAnyMore_whenClosed() {
    ReplicaSender sender = sender();
    assertThat(sender.status().running()).isTrue();
    sender.close();
    assertThat(sender.status().running()).isFalse();
  }

  @Test
  void sendsARefusedOneAgainAfterAWhile_andTakesNoRefusalForASuccess() {
    answer = body -> 400;
    ReplicaSender sender = sender();
    sender.offer(List.of(message("a")));
    await().atMost(PATIENCE).until(() -> sender.status().rejected() == 1);
    assertThat(sender.status().lastSuccess()).isEmpty();
    assertThat(sender.status().problem()).startsWith("HTTP 400");

    answer = body -> 200;
    now = now.plus(Duration.ofMinutes(5)).minusMillis(1);
    sender.offer(List.of(message("a")));
    assertThat(sender.status().waiting()).isZero();
    now = now.plusMillis(1);
    sender.offer(List.of(message("a")));
    await().atMost(PATIENCE).until(() -> sender.status().sent() == 1);
    assertThat(sizes()).containsExactly(1, 1);
    assertThat(sender.status().lastSuccess()).contains(now);
    assertThat(sender.status().problem()).isEmpty();
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
