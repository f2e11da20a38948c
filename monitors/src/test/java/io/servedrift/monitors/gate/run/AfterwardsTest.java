package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AfterwardsTest {
  private static final String ID = "0123456789abcdef";
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-30T12:00:00Z"), ZoneOffset.UTC);

  private HttpServer server;
  private volatile String series = "{\"series\":[]}";
  private volatile String metrics = "";
  private volatile String alerts = "[]";
  private volatile String posted = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/v1/series", exchange -> send(exchange, series));
    server.createContext("/metrics", exchange -> send(exchange, metrics));
    server.createContext("/api/v2/alerts", this::alerts);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void alerts(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("POST")) {
      posted = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      send(exchange, "");
    } else {
      send(exchange, alerts);
    }
  }

  private static void send(HttpExchange exchange, String body) throws IOException {
    try (exchange) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static List<Readiness.State> look(@Nullable String monitor, @Nullable String alerts) {
    EndpointFacts facts =
        new EndpointFacts(
            Side.NEW, "u", ID, null, null, null, Given.imageNode().profile(), List.of());
    Afterwards afterwards =
        Afterwards.of(
            monitor == null ? null : Given.access(monitor),
            alerts == null ? null : Given.access(alerts),
            Timeline.of(CLOCK));
    return afterwards.apply(facts).items().stream().map(Readiness.Item::state).toList();
  }

  @Test
  void findsWhatIsThere() {
    series =
        """
        {"series":[{"metric":"latency","windows":[{"n":9}]},
          {"metric":"clip","windows":[{"n":5}]}]}\
        """;
    metrics = "servedrift_score_mean_baseline{config_id=\"" + ID + "\",deployment=\"d\"} 0.3\n";
    alerts = "[{\"labels\":{\"alertname\":\"ServedriftGateTest\"}}]";

    assertThat(look(url(), url())).containsOnly(Readiness.State.READY).hasSize(3);
    assertThat(posted).contains("\"endsAt\":\"2026-11-30T12:01:");
  }

  @Test
  void misses_whatIsNot() {
    series =
        """
        {"series":[{"metric":"latency","windows":[{"n":9}]},
          {"metric":"stage:decode","windows":[{"n":9}]},
          {"metric":"clip","windows":[{"n":0}]}]}\
        """;
    metrics = "servedrift_score_mean_baseline{config_id=\"fedcba9876543210\"} 0.3\n";

    assertThat(look(url(), url())).containsOnly(Readiness.State.MISSING).hasSize(3);
  }

  @Test
  void misses_whatDoesNotAnswer() {
    String gone = url();
    server.stop(0);

    assertThat(look(gone, gone)).containsOnly(Readiness.State.MISSING).hasSize(3);
  }

  @Test
  void doesNotLook_whenNobodyIsNamed() {
    assertThat(look(null, null)).containsOnly(Readiness.State.NOT_LOOKED_AT).hasSize(3);
    assertThat(posted).isEmpty();
  }
}
