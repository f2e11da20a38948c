package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import io.servedrift.schemas.avro.Tick;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a registry on the loopback interface. */
class HttpSchemaRegistryTest {
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final Hand clock = new Hand();
  private HttpServer server;
  private HttpSchemaRegistry registry;

  private static final class Hand extends Clock {
    private Instant now = Instant.parse("2026-11-30T10:00:00Z");

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
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          asked.add(path);
          String answer = answers.getOrDefault(path, "404");
          if (answer.length() == 3) {
            exchange.sendResponseHeaders(Integer.parseInt(answer), -1);
          } else {
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
    registry =
        new HttpSchemaRegistry(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/apis/ccompat/v7/"),
            Duration.ofSeconds(5),
            clock);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(int id, String body) {
    answers.put("/apis/ccompat/v7/schemas/ids/" + id, body);
  }

  private static String schema(String schema) {
    return JsonNodeFactory.instance.objectNode().put("schema", schema).toString();
  }

  @Test
  void keepsSchema() throws IOException {
    answer(3, schema(Tick.getClassSchema().toString()));
    assertThat(registry.byId(3)).isEqualTo(Tick.getClassSchema());
    clock.now = clock.now.plusSeconds(100_000);
    assertThat(registry.byId(3)).isEqualTo(Tick.getClassSchema());
    assertThat(asked).containsExactly("/apis/ccompat/v7/schemas/ids/3");
  }

  @Test
  void asksAgainAfterTenSeconds_whenIdIsNotKnown() throws IOException {
    assertThat(registry.byId(4)).isNull();
    assertThat(registry.byId(4)).isNull();
    assertThat(asked).hasSize(1);
    answer(4, schema("\"string\""));
    clock.now = clock.now.plus(HttpSchemaRegistry.BELIEVED);
    assertThat(registry.byId(4)).isNotNull();
  }

  @Test
  void fails_whenRegistryFails() {
    answer(5, "503");
    assertThatThrownBy(() -> registry.byId(5))
        .isInstanceOf(IOException.class)
        .hasMessage("schema registry answered 503");
    assertThatThrownBy(() -> registry.byId(5)).isInstanceOf(IOException.class);
    assertThat(asked).hasSize(1);
    server.stop(0);
    assertThatThrownBy(() -> registry.byId(6))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("schema registry: ");
  }

  @Test
  void knowsNoSchema_whenAnswerIsNoAvro() throws IOException {
    answer(1, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}");
    answer(2, schema("{\"type\":\"nonsense\"}"));
    answer(3, "{\"schema\": 7}");
    answer(4, "<html></html>");
    answer(5, "{\"schema\":\"" + "x".repeat(2_000_000) + "\"}");
    for (int id = 1; id <= 5; id++) {
      assertThat(registry.byId(id)).as("id " + id).isNull();
    }
  }

  @Test
  void refusesOtherAddresses() {
    assertThatThrownBy(
            () -> new HttpSchemaRegistry(URI.create("file:///x"), Duration.ofSeconds(1), clock))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
