package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.http.BearerToken;
import io.servedrift.ingest.http.HttpSettings;
import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.node.CollectingSink;
import io.servedrift.serving.node.FakeEngine;
import io.servedrift.serving.node.FinishedImages;
import io.servedrift.serving.node.NodeSettings;
import io.servedrift.serving.node.ServingNode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A node with a fake engine behind its real HTTP server, and a client of it. */
final class ServedNode implements AutoCloseable {

  static final ObjectMapper JSON = new ObjectMapper();
  static final String IMAGES = "/v1/images/generations";

  final FakeEngine engine = new FakeEngine();
  final CollectingSink sink = new CollectingSink();
  final ServingNode node;
  private final NodeServer server;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();

  ServedNode(SchedulerLimits limits) {
    this(limits, null, Faults.none());
  }

  ServedNode(SchedulerLimits limits, @Nullable BearerToken token) {
    this(limits, token, Faults.none());
  }

  ServedNode(SchedulerLimits limits, Duration drain) {
    this(limits, null, Faults.none(), drain);
  }

  ServedNode(SchedulerLimits limits, @Nullable BearerToken token, Faults faults) {
    this(limits, token, faults, Duration.ofSeconds(30));
  }

  private ServedNode(
      SchedulerLimits limits, @Nullable BearerToken token, Faults faults, Duration drain) {
    node =
        ServingNode.start(
            new NodeSettings("test", "image-gen", "n1", Duration.ofMinutes(5), drain),
            engine.parts(),
            limits,
            faults,
            new ServingNode.Outlets(
                sink, sink::metrics, PromptHashKey.ofThisProcess(), FinishedImages.NONE));
    server =
        NodeServer.start(
            new HttpSettings("127.0.0.1", 0, List.of(), null),
            token,
            ApiLimits.DEFAULT,
            node,
            List.of());
    port = server.port();
  }

  /** How many connections sent the next call early. */
  long pipelined() {
    return server.pipelined();
  }

  /** How many answers are being written. */
  int answering() {
    return server.answering();
  }

  /** Whether new connections are taken. */
  boolean listening() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(30));
  }

  HttpRequest json(String path, String body) {
    return request(path)
        .header(AdminGuard.OWN_HEADER, "test")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
    return send(json(path, body));
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).GET().build());
  }

  CompletableFuture<HttpResponse<String>> generate(String body) {
    return client.sendAsync(json(IMAGES, body), HttpResponse.BodyHandlers.ofString());
  }

  static JsonNode read(HttpResponse<String> response) throws IOException {
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    engine.release();
    node.close();
    server.close();
  }
}
