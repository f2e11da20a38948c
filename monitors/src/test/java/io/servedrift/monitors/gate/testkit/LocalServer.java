package io.servedrift.monitors.gate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on a free port of the loopback with a thread for each request. Thread-safe. */
public abstract class LocalServer implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();

  static {
    // Without it an answer waits 40 ms for the client to acknowledge its headers (Nagle).
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool(LocalServer::daemon);

  LocalServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
    } catch (IOException e) {
      throw new IllegalStateException("no free port on the loopback", e);
    }
    server.setExecutor(threads);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "test-endpoint");
    thread.setDaemon(true);
    return thread;
  }

  /** What answers a call. */
  @FunctionalInterface
  interface Handler {
    /** The answer; null for 404. */
    JsonNode answer(JsonNode body) throws IOException, InterruptedException;
  }

  /** An answer that is an HTTP error. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;
    private final int status;

    Refused(int status) {
      super("HTTP " + status);
      this.status = status;
    }
  }

  final void on(String path, Handler handler) {
    server.createContext(path, exchange -> handle(exchange, handler));
  }

  final void start() {
    server.start();
  }

  private static void handle(HttpExchange exchange, Handler handler) throws IOException {
    try (exchange) {
      answer(exchange, handler);
    }
  }

  private static void answer(HttpExchange exchange, Handler handler) throws IOException {
    try {
      byte[] body = exchange.getRequestBody().readAllBytes();
      JsonNode asked = body.length == 0 ? JSON.createObjectNode() : JSON.readTree(body);
      send(exchange, 200, JSON.writeValueAsString(handler.answer(asked)));
    } catch (Refused e) {
      send(exchange, e.status, "{\"error\":{\"message\":\"refused\",\"code\":\"test\"}}");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Its address. */
  public final String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public final void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
