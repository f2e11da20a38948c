package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** {@code run} as a process of its own, with panes of a second. */
final class RunningMonitor {
  static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final Path log;
  private String address = "";

  private RunningMonitor(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts it with a broker of its own and its data in a folder. */
  static RunningMonitor start(Path folder) throws IOException {
    return start(folder, List.of("--embedded", folder.resolve("data").toString()));
  }

  /** Starts it with these options; its log goes into the folder. */
  static RunningMonitor start(Path folder, List<String> options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The product's own logging, not that of the tests.
    command.add("-Dlogback.configurationFile=logback.xml");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("run", "--http-port", "0"));
    command.addAll(options);
    command.addAll(List.of("--pane", "1s", "--windows", "2s", "--grace", "1s"));
    command.addAll(List.of("--score-grace", "1s", "--horizon", "10s", "--tick", "200ms"));
    Path log = Files.createTempFile(folder, "run", ".log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    return new RunningMonitor(builder.start(), log);
  }

  void awaitReady() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(process.isAlive()).as(log()).isTrue();
              address = addressIn(process.getInputStream(), address);
              return !address.isEmpty() && status("/-/ready") == 200;
            });
  }

  /** The one line on stdout. */
  private static String addressIn(InputStream stdout, String known) throws IOException {
    if (!known.isEmpty() || stdout.available() == 0) {
      return known;
    }
    String line = new String(stdout.readNBytes(stdout.available()), StandardCharsets.UTF_8).strip();
    return line.substring(line.lastIndexOf(' ') + 1);
  }

  static String request(String id, Instant finishedAt, double seconds) {
    return """
    {"type":"request","request_id":"%s","deployment":"d","finished_at":"%s","status":"ok",\
    "latency_seconds":%s}
    """
        .formatted(id, finishedAt, seconds);
  }

  int post(String ndjson) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + "/v1/events"))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(ndjson))
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** Requests in the latency windows of all configurations together. */
  long latencies() throws IOException, InterruptedException {
    JsonNode document =
        new ObjectMapper().readTree(get("/api/v1/series?metric=latency&window=2s&config_id=*"));
    long n = 0;
    for (JsonNode window : document.findValues("windows")) {
      for (JsonNode each : window) {
        n += each.path("n").asLong();
      }
    }
    return n;
  }

  /** What {@code /-/ready} lists. */
  List<String> components() throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    new ObjectMapper()
        .readTree(get("/-/ready"))
        .path("components")
        .fieldNames()
        .forEachRemaining(names::add);
    return names;
  }

  int status(String path) throws IOException, InterruptedException {
    return HTTP.send(
            HttpRequest.newBuilder(URI.create(address + path)).build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  String get(String path) throws IOException, InterruptedException {
    return HTTP.send(
            HttpRequest.newBuilder(URI.create(address + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Where it answers, as {@code host:port}. */
  String authority() {
    return URI.create(address).getAuthority();
  }

  Process process() {
    return process;
  }

  String log() throws IOException {
    return Files.readString(log);
  }
}
