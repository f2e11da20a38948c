package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final CommandLineHarness harness = new CommandLineHarness();

  @TempDir private Path folder;

  @Test
  void printsTheWholeRangePerSeries() throws IOException {
    assertThat(harness.run("replay", "--file", traffic().toString())).isZero();

    assertThat(harness.out())
        .contains("402 rows read: 400 accepted, 2 rejected, 0 skipped")
        .containsPattern(
            "(?m)^d +flux-dev r1 \\(\\w{8}\\) +sglang 0.5.7 lora=yes \\(\\w{8}\\) +latency +400 ")
        .containsPattern("(?m)^d +\\* +\\* +latency +400 .* \\[.*]$");
    assertThat(harness.err()).isEmpty();
  }

  @Test
  void readsStandardInput() throws IOException {
    harness.stdin(Files.readString(traffic()));

    assertThat(harness.run("replay", "--file", "-", "--json")).isZero();

    JsonNode document = JSON.readTree(harness.out());
    assertThat(document.path("records").asInt()).isGreaterThanOrEqualTo(400);
    assertThat(document.at("/read/rejected").asInt()).isEqualTo(2);
    assertThat(document.at("/counters/requests_accepted").asInt()).isEqualTo(400);
    JsonNode latency = latencyOfAll(document.path("range"));
    assertThat(latency.path("n").asInt()).isEqualTo(400);
    assertThat(latency.path("p50").asDouble()).isEqualTo(200.0);
    assertThat(latency.path("p99").asDouble()).isEqualTo(396.0);
    assertThat(latency.has("distribution")).isFalse();
  }

  @Test
  void writesEachWindowAndTheRange() throws IOException {
    Path windows = folder.resolve("windows.ndjson");

    int code =
        harness.run(
            "replay",
            "--file",
            traffic().toString(),
            "--windows",
            windows.toString(),
            "--config-id",
            "*");

    assertThat(code).isZero();
    List<String> lines = Files.readAllLines(windows);
    long n = 0;
    for (String line : lines) {
      JsonNode window = JSON.readTree(line);
      assertThat(window.path("config_id").asText()).isEqualTo("*");
      boolean fiveMinutes = !window.path("range").asBoolean() && minutes(window) == 5;
      n += fiveMinutes && isLatency(window) ? window.path("n").asInt() : 0;
    }
    assertThat(n).isEqualTo(400);
    assertThat(lines.get(lines.size() - 1)).contains("\"range\":true");
  }

  @Test
  void keepsStandardOutputForWindows_whenTheyGoThere() throws IOException {
    assertThat(harness.run("replay", "--file", traffic().toString(), "--windows", "-")).isZero();

    for (String line : harness.out().lines().toList()) {
      assertThat(JSON.readTree(line).path("type").asText()).isEqualTo("window");
    }
    assertThat(harness.err()).contains("402 rows read");
  }

  @Test
  void addsWhatCannotBeUsedToAFile() throws IOException {
    Path letters = folder.resolve("letters.ndjson");

    harness.run("replay", "--file", traffic().toString(), "--dead-letters", letters.toString());

    assertThat(Files.readAllLines(letters)).hasSize(2).allMatch(line -> line.contains("reason"));
  }

  @Test
  void saysUsage_whenOptionsContradict() throws IOException {
    String file = traffic().toString();

    assertThat(harness.run("replay", "--file", file, "--windows", "-", "--json")).isEqualTo(2);
    assertThat(harness.run("replay", "--file", file, "--from", "2026-11-01T00:00:00Z"))
        .isEqualTo(2);
    assertThat(harness.run("replay", "--file", file, "--format", "csv")).isEqualTo(2);
    assertThat(harness.run("replay", "--file", "-", "-")).isEqualTo(2);
    assertThat(harness.run("replay", "--from", "2026-11-01")).isEqualTo(2);
    assertThat(harness.run("replay", "--file", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(harness.run("replay")).isEqualTo(2);

    assertThat(harness.err())
        .contains("--windows - and --json both want standard output")
        .contains("--from and --to choose a range of Kafka")
        .contains("--format csv needs --mapping FILE")
        .contains("standard input (-) can be read only once")
        .contains("must be a time with zone")
        .contains("none")
        .contains("needs --bootstrap-servers HOST:PORT or --embedded DIR");
    assertThat(harness.out()).isEmpty();
  }

  /** 400 requests a second apart with latencies 1 to 400 s, one line of rubbish, one far ahead. */
  private Path traffic() throws IOException {
    Instant start = Instant.parse("2026-11-30T10:00:00Z");
    StringBuilder lines = new StringBuilder("rubbish\n");
    for (int i = 1; i <= 400; i++) {
      lines.append(request("r-" + i, start.plusSeconds(i), i));
    }
    lines.append(request("ahead", Instant.parse("2027-11-30T10:00:00Z"), 1));
    return Files.writeString(folder.resolve("traffic.ndjson"), lines.toString());
  }

  private static String request(String id, Instant finishedAt, int seconds) {
    return """
        {"type":"request","request_id":"%s","deployment":"d","finished_at":"%s","status":"ok",\
        "latency_seconds":%d,"config":{"runtime":{"name":"sglang","version":"0.5.7"},\
        "extra":{"lora":"yes"}},"model":{"name":"flux-dev","revision":"r1"}}
        """
        .formatted(id, finishedAt, seconds);
  }

  private static JsonNode latencyOfAll(JsonNode ranges) {
    for (JsonNode range : ranges) {
      if (isLatency(range) && range.path("config_id").asText().equals("*")) {
        return range;
      }
    }
    throw new AssertionError("no range for all configurations: " + ranges);
  }

  private static boolean isLatency(JsonNode window) {
    return window.path("metric").asText().equals("latency");
  }

  private static long minutes(JsonNode window) {
    Instant start = Instant.parse(window.path("start").asText());
    return java.time.Duration.between(start, Instant.parse(window.path("end").asText()))
        .toMinutes();
  }

  @Test
  void namesConfigurations_thatHaveRowsOfTheirOwn(@TempDir Path dir) throws IOException {
    Path traffic =
        Files.writeString(
            dir.resolve("traffic.ndjson"),
            """
            {"type":"config","at":"2026-03-01T00:00:00Z","deployment":"d",\
            "config":{"batching":{"max_batch_size":16,"mode":"continuous"},\
            "cache":{"conditioning":"lru"},"constrained_decoding":{"mode":"auto"},\
            "precision":{"activations":"bf16","weights":"bf16"},\
            "runtime":{"name":"sglang-diffusion","version":"0.5.7"}}}
            {"type":"request","request_id":"r-1","deployment":"d","status":"ok",\
            "config_id":"bf106148a3a8a6d8","finished_at":"2026-03-01T00:00:01Z",\
            "latency_seconds":1.5}
            """);
    assertThat(harness.run("replay", "--file", traffic.toString())).isZero();
    assertThat(harness.out()).contains("sglang-diffusion 0.5.7");
  }
}
