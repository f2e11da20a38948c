package io.servedrift.monitors.alert;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * An Alertmanager on this machine with the routing of the example and short pauses; it notifies a
 * {@link WebhookReceiver}. Fails when the program is not on the PATH.
 */
public final class RealAlertmanager implements AutoCloseable {
  /** The example that users start from. */
  public static final Path EXAMPLE = Path.of("observability", "alertmanager", "alertmanager.yml");

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LOWEST_PORT = 20_000;

  /** Of Linux; see {@code net.ipv4.ip_local_port_range}. */
  private static final int EPHEMERAL_PORTS = 32_768;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Path folder;
  private final int port;
  private Process process;

  /** Prepares one that is not running yet. */
  public RealAlertmanager(Path folder, WebhookReceiver receiver) throws IOException {
    this.folder = folder;
    this.port = reservedPort();
    String config =
        Files.readString(EXAMPLE)
            .replace("group_wait: 10s", "group_wait: 200ms")
            .replace("group_interval: 5m", "group_interval: 1s")
            .replace("http://127.0.0.1:9095", receiver.address());
    Files.writeString(folder.resolve("alertmanager.yml"), config);
  }

  /**
   * A free port that stays free while nothing listens: below those that the system gives to whoever
   * asks for any.
   */
  private static int reservedPort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, EPHEMERAL_PORTS);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException taken) {
        // The next one, then.
      }
    }
  }

  /** Where it listens. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Starts it and waits until it works. */
  public RealAlertmanager start() throws IOException {
    process =
        new ProcessBuilder(
                "prometheus-alertmanager",
                "--config.file=" + folder.resolve("alertmanager.yml"),
                "--storage.path=" + folder.resolve("storage"),
                "--web.listen-address=127.0.0.1:" + port,
                "--cluster.listen-address=")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("alertmanager.log").toFile())
            .start();
    await().atMost(PATIENCE).until(this::isReady);
    return this;
  }

  private boolean isReady() throws IOException, InterruptedException {
    if (!process.isAlive()) {
      throw new AssertionError(Files.readString(folder.resolve("alertmanager.log")));
    }
    try {
      return get("/-/ready").statusCode() == 200;
    } catch (ConnectException e) {
      return false;
    }
  }

  /** Stops it; its memory of notifications survives. */
  public void stop() throws InterruptedException {
    process.destroy();
    process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Alerts that fire, as its API shows them, silenced and inhibited ones too. */
  public List<JsonNode> alerts() {
    try {
      List<JsonNode> alerts = new ArrayList<>();
      new ObjectMapper().readTree(get("/api/v2/alerts").body()).forEach(alerts::add);
      return alerts;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("Alertmanager does not answer", e);
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(address().resolve(path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    if (process != null) {
      try {
        stop();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
