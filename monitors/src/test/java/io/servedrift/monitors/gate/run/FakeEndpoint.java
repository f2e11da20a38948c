package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.imageio.ImageIO;

/** An image endpoint that answers as it is told to. */
final class FakeEndpoint implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();

  /** What it does with a request for an image. */
  enum Way {
    GOOD,
    NOT_FOUND,
    BROKEN,
    TRUNCATED,
    GIANT,
    NOT_JSON,
    NO_IMAGE,
    NOT_AN_IMAGE,
    HANGING
  }

  static {
    // Without it an answer waits 40 ms for the client to acknowledge its headers (Nagle).
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final List<JsonNode> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger images = new AtomicInteger();
  volatile Way way = Way.GOOD;
  volatile Supplier<String> info = () -> info("fp32", "sha256:aa");
  volatile Runnable beforeAnswer = () -> {};

  FakeEndpoint() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/server_info", this::serverInfo);
    server.createContext("/v1/images/generations", this::image);
    server.start();
  }

  static String info(String precision, String weights) {
    return "{\"config\":{\"runtime\":{\"name\":\"servedrift-serving\",\"version\":\"1\"},"
        + "\"precision\":{\"weights\":\""
        + precision
        + "\"},\"cache\":{\"conditioning\":\"on\"},\"hardware\":{\"count\":1}},"
        + "\"model\":{\"name\":\"m\",\"weights_digest\":\""
        + weights
        + "\"},\"limits\":{\"mode\":\"continuous\"}}";
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Bodies it was sent. */
  List<JsonNode> calls() {
    return calls;
  }

  private void serverInfo(HttpExchange exchange) throws IOException {
    String text = info.get();
    if (text.isEmpty()) {
      send(exchange, 404, "{}".getBytes(StandardCharsets.UTF_8));
    } else {
      send(exchange, 200, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private void image(HttpExchange exchange) throws IOException {
    JsonNode call = JSON.readTree(exchange.getRequestBody());
    calls.add(call);
    images.incrementAndGet();
    beforeAnswer.run();
    switch (way) {
      case GOOD -> send(exchange, 200, answer(picture(call)));
      case NOT_FOUND -> send(exchange, 404, "secret prompt".getBytes(StandardCharsets.UTF_8));
      case BROKEN -> send(exchange, 500, "secret prompt".getBytes(StandardCharsets.UTF_8));
      case NOT_JSON -> send(exchange, 200, "<html>".getBytes(StandardCharsets.UTF_8));
      case NO_IMAGE -> send(exchange, 200, "{\"data\":[]}".getBytes(StandardCharsets.UTF_8));
      case NOT_AN_IMAGE -> send(exchange, 200, answer(new byte[] {1, 2, 3}));
      case GIANT -> giant(exchange);
      case TRUNCATED -> truncated(exchange);
      case HANGING -> hang();
    }
  }

  private static byte[] answer(byte[] image) {
    return ("{\"created\":1,\"data\":[{\"b64_json\":\""
            + Base64.getEncoder().encodeToString(image)
            + "\",\"servedrift\":{\"batch\":{\"size_mean\":2.0},\"cache\":{\"conditioning\":\"hit\"},"
            + "\"compute_seconds\":0.25}}]}")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Pixels that follow from prompt and seed alone. */
  static byte[] picture(JsonNode call) throws IOException {
    long seed = 31L * call.path("prompt").asText().hashCode() + call.path("seed").asLong();
    SplittableRandom random = new SplittableRandom(seed);
    BufferedImage image = new BufferedImage(16, 16, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 256; i++) {
      image.setRGB(i % 16, i / 16, random.nextInt(1 << 24));
    }
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    ImageIO.write(image, "png", png);
    return png.toByteArray();
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static void giant(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      byte[] part = new byte[1 << 16];
      for (int i = 0; i < 1 << 12; i++) {
        out.write(part);
      }
    } catch (IOException expected) {
      // The client goes away.
    }
  }

  private static void truncated(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 1000);
    exchange.getResponseBody().write(new byte[10]);
    exchange.getResponseBody().flush();
    exchange.close();
  }

  private void hang() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
