package io.servedrift.monitors.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Takes the notifications of an Alertmanager. Thread-safe. */
public final class WebhookReceiver implements AutoCloseable {
  private final HttpServer server;
  private final List<Notification> notifications = new ArrayList<>();

  /**
   * One notification.
   *
   * @param receiver page or ticket
   * @param status firing or resolved
   */
  public record Notification(String receiver, String status, JsonNode body, Instant receivedAt) {
    /** Alerts in it. */
    public List<JsonNode> alerts() {
      List<JsonNode> alerts = new ArrayList<>();
      body.path("alerts").forEach(alerts::add);
      return alerts;
    }

    @Override
    public String toString() {
      return receiver + " " + status + " " + body.path("groupLabels") + " " + alerts().size();
    }
  }

  /** Starts one on a free port of the loopback interface. */
  public WebhookReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::take);
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    JsonNode body = new ObjectMapper().readTree(exchange.getRequestBody());
    synchronized (this) {
      notifications.add(
          new Notification(
              exchange.getRequestURI().getPath().substring(1),
              body.path("status").asText(),
              body,
              Instant.now()));
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  /** Where it listens. */
  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** What came, in order. */
  public synchronized List<Notification> notifications() {
    return List.copyOf(notifications);
  }

  /** The receivers and states of what came, in order. */
  public List<String> said() {
    return notifications().stream().map(one -> one.receiver() + " " + one.status()).toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
