package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code prometheus} of the machine on loopback, with the shipped configuration. */
final class PrometheusServer implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SHIPPED = Path.of("observability/prometheus");

  /** With the port that it was given. */
  private static final Pattern LISTENING =
      Pattern.compile("msg=\"Listening on\" address=(127\\.0\\.0\\.1:[0-9]+)\\s");

  private final Process process;
  private final Path log;
  private String address;

  private PrometheusServer(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts it.
   *
   * @param target host and port in place of the shipped one
   * @param feature to be enabled
   */
  static PrometheusServer start(Path parent, String target, String feature) throws IOException {
    Path folder = Files.createTempDirectory(parent, "prometheus");
    Files.copy(SHIPPED.resolve("rules.yml"), folder.resolve("rules.yml"));
    String shipped = Files.readString(SHIPPED.resolve("prometheus.yml"));
    assertThat(shipped)
        .contains("scrape_interval: 15s", "scrape_timeout: 10s", "evaluation_interval: 15s")
        .contains("127.0.0.1:8080", "127.0.0.1:9093");
    Files.writeString(
        folder.resolve("prometheus.yml"),
        shipped
            .replace("scrape_interval: 15s", "scrape_interval: 1s")
            .replace("scrape_timeout: 10s", "scrape_timeout: 1s")
            .replace("evaluation_interval: 15s", "evaluation_interval: 1s")
            .replace("127.0.0.1:8080", target)
            // Nobody listens there: an Alertmanager of this machine is none of a test's business.
            .replace("127.0.0.1:9093", "127.0.0.1:1"));
    Path log = folder.resolve("prometheus.log");
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + folder.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:0",
                "--enable-feature=" + feature)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    PrometheusServer server = new PrometheusServer(process, log);
    await().atMost(RunningMonitor.PATIENCE).until(server::ready);
    return server;
  }

  private boolean ready() throws IOException, InterruptedException {
    String said = Files.readString(log);
    assertThat(process.isAlive()).as(said).isTrue();
    Matcher listening = LISTENING.matcher(said);
    if (!listening.find()) {
      return false;
    }
    address = "http://" + listening.group(1);
    return send("/-/ready").statusCode() == 200;
  }

  private HttpResponse<String> send(String path) throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(address + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** An answer of its API, which must be a success. */
  JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(path);
    assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** The series that a query gives now. */
  JsonNode query(String query) throws IOException, InterruptedException {
    return get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
        .at("/data/result");
  }

  /** Exemplars of the last minutes. */
  JsonNode exemplars(String query) throws IOException, InterruptedException {
    Instant now = Instant.now();
    return get("/api/v1/query_exemplars?query="
            + query
            + "&start="
            + now.minusSeconds(600).getEpochSecond()
            + "&end="
            + now.plusSeconds(60).getEpochSecond())
        .path("data");
  }

  /** What it has warned of or failed at. */
  List<String> warnings() throws IOException {
    return Files.readString(log)
        .lines()
        .filter(line -> line.contains("level=warn") || line.contains("level=error"))
        .toList();
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
