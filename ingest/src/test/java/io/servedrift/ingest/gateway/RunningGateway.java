package io.servedrift.ingest.gateway;

import static org.awaitility.Awaitility.await;

import io.servedrift.ingest.publish.DropReason;
import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.Published;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.apache.avro.specific.SpecificRecord;

/** A gateway in this process whose events are kept. */
final class RunningGateway implements AutoCloseable {

  final List<SpecificRecord> events = new CopyOnWriteArrayList<>();

  /** While set, the broker takes nothing that is to be acknowledged. */
  volatile boolean away;

  final Gateway gateway;
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  RunningGateway(URI upstream) throws IOException {
    this(upstream, settings -> settings);
  }

  RunningGateway(URI upstream, UnaryOperator<GatewaySettings> change) throws IOException {
    this(upstream, change, GatewayExtras.NONE);
  }

  RunningGateway(URI upstream, UnaryOperator<GatewaySettings> change, GatewayExtras extras)
      throws IOException {
    GatewaySettings settings =
        GatewaySettings.of(upstream, "test")
            .withAddress("127.0.0.1", 0)
            .withUpstreamTimeout(Duration.ofSeconds(30));
    this.gateway = new Gateway(change.apply(settings), new Kept(), extras, Clock.systemUTC());
    gateway.start();
  }

  private final class Kept implements EventSink {
    @Override
    public boolean offer(SpecificRecord event) {
      return events.add(event);
    }

    @Override
    public CompletableFuture<Published> publish(SpecificRecord event) {
      if (away) {
        return CompletableFuture.failedFuture(
            new EventDroppedException(DropReason.BROKER_ERROR, "away", null));
      }
      events.add(event);
      return CompletableFuture.completedFuture(new Published("topic", 0, 0));
    }
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + gateway.port() + path);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Sends bytes on a connection of their own and reads until its end. */
  String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  List<RequestEvent> requests() {
    return events.stream()
        .filter(RequestEvent.class::isInstance)
        .map(RequestEvent.class::cast)
        .toList();
  }

  RequestEvent onlyRequest() {
    await().atMost(Duration.ofSeconds(20)).until(() -> !requests().isEmpty());
    if (requests().size() != 1) {
      throw new AssertionError("expected one request event, got " + requests());
    }
    return requests().get(0);
  }

  @Override
  public void close() {
    gateway.close();
  }
}
