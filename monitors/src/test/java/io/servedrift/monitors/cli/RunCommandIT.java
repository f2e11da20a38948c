package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} as a process of its own: start, intake, windows, orderly stop, restart. */
class RunCommandIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @Test
  void servesWindowsAndKeepsThemOverARestart() throws Exception {
    Running first = run();
    try {
      first.awaitReady();
      Instant now = Instant.now();
      assertThat(first.post(request("r-1", now, 1.5) + request("r-2", now, 2.5))).isEqualTo(202);
      await().atMost(PATIENCE).until(() -> first.latencies() == 2);
    } finally {
      first.process.destroy(); // SIGTERM: the orderly end
    }
    assertThat(first.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(first.process.exitValue()).as(first.log()).isZero();

    Running second = run();
    try {
      second.awaitReady();
      await().atMost(PATIENCE).until(() -> second.latencies() == 2);
      assertThat(second.get("/metrics")).contains("servedrift_build_info");
    } finally {
      new ProcessBuilder("kill", "-INT", String.valueOf(second.process.pid())).start();
    }
    assertThat(second.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(second.process.exitValue()).as(second.log()).isEqualTo(130);
  }

  @Test
  void saysThatItIsNotReady_whileTheBrokerIsGone() throws Exception {
    Path data = folder.resolve("cluster");
    EmbeddedBroker broker = EmbeddedBroker.start(data);
    Running monitor = null;
    try {
      try (TopicProvisioner topics =
          TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        topics.apply(new Topics(Topics.DEFAULT_PREFIX));
      }
      monitor =
          run(List.of("--bootstrap-servers", broker.bootstrapServers(), "--log-format", "json"));
      monitor.awaitReady();
      assertThat(monitor.components()).containsOnly("broker", "topology", "read_model");

      broker.close();
      Running gone = monitor;
      await().atMost(PATIENCE).until(() -> gone.status("/-/ready") == 503);
      JsonNode answer = new ObjectMapper().readTree(monitor.get("/-/ready"));
      assertThat(answer.at("/components/broker/ready").asBoolean(true)).isFalse();
      assertThat(answer.at("/components/broker/detail").asText()).startsWith("no answer: ");
      assertThat(monitor.status("/-/healthy")).isEqualTo(200);

      broker = EmbeddedBroker.start(data);
      await().atMost(PATIENCE).until(() -> gone.status("/-/ready") == 200);
      monitor.process.destroy();
      assertThat(monitor.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(monitor.process.exitValue()).as(monitor.log()).isZero();
      for (String line : monitor.log().lines().toList()) {
        assertThat(new ObjectMapper().readTree(line).path("level").asText()).isNotEmpty();
      }
    } finally {
      if (monitor != null) {
        monitor.process.destroyForcibly().waitFor();
      }
      broker.close();
    }
  }

  private Running run() throws IOException {
    return run(List.of("--embedded", folder.resolve("data").toString()));
  }

  private Running run(List<String> options) throws IOException {
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
    Process process = builder.start();
    return new Running(process, log);
  }

  private static String request(String id, Instant finishedAt, double seconds) {
    return """
    {"type":"request","request_id":"%s","deployment":"d","finished_at":"%s","status":"ok",\
    "latency_seconds":%s}
    """
        .formatted(id, finishedAt, seconds);
  }

  private static final class Running {

    private final Process process;
    private final Path log;
    private String address = "";

    Running(Process process, Path log) {
      this.process = process;
      this.log = log;
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
      String line =
          new String(stdout.readNBytes(stdout.available()), StandardCharsets.UTF_8).strip();
      return line.substring(line.lastIndexOf(' ') + 1);
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

    String log() throws IOException {
      return Files.readString(log);
    }
  }
}
