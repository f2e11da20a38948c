package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same requests in every form that files have: the same windows. */
class ReplayInputFormatsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int REQUESTS = 400;

  @TempDir private Path folder;
  private Path mapping;
  private String ndjson;
  private String csv;

  @BeforeEach
  void write() throws IOException {
    StringBuilder lines = new StringBuilder();
    StringBuilder rows = new StringBuilder("id,end,took_ms,state\n");
    for (int i = 1; i <= REQUESTS; i++) {
      String end = "2026-11-30T10:%02d:%02dZ".formatted(i / 60, i % 60);
      lines.append(
          """
          {"type":"request","request_id":"r-%d","deployment":"d","status":"ok",\
          "finished_at":"%s","latency_seconds":%d}
          """
              .formatted(i, end, i));
      rows.append("r-" + i + "," + end + "," + i * 1000 + ",done\n");
    }
    ndjson = lines.toString();
    csv = rows.toString();
    mapping =
        Files.writeString(
            folder.resolve("mapping.yaml"),
            """
            type: request
            fields:
              request_id: id
              deployment: {constant: d}
              finished_at: end
              latency_seconds: {column: took_ms, unit: ms}
              status: {column: state, words: {done: ok}}
            """);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  private JsonNode range(CommandLineHarness harness, List<String> arguments) throws IOException {
    assertThat(harness.run(arguments.toArray(String[]::new))).as(harness.err()).isZero();
    List<String> lines = harness.out().lines().toList();
    return JSON.readTree(lines.get(lines.size() - 1)).path("range");
  }

  @ParameterizedTest
  @CsvSource({
    "ndjson, false, false",
    "ndjson, true, false",
    "ndjson, false, true",
    "ndjson, true, true",
    "csv, false, false",
    "csv, true, false",
    "csv, false, true",
    "csv, true, true",
  })
  void givesTheSameWindows(String format, boolean packed, boolean stdin) throws IOException {
    byte[] plain = (format.equals("csv") ? csv : ndjson).getBytes(StandardCharsets.UTF_8);
    byte[] bytes = packed ? gzip(plain) : plain;
    CommandLineHarness harness = new CommandLineHarness();
    List<String> arguments = new ArrayList<>(List.of("replay", "--json", "--file"));
    if (stdin) {
      harness.stdin(bytes);
      arguments.add("-");
    } else {
      // Gzip is known by its bytes, not by its name.
      arguments.add(Files.write(folder.resolve("traffic.dat"), bytes).toString());
    }
    arguments.addAll(List.of("--format", format));
    if (format.equals("csv")) {
      arguments.addAll(List.of("--mapping", mapping.toString()));
    }
    JsonNode range = range(harness, arguments);
    Path reference = Files.writeString(folder.resolve("reference.ndjson"), ndjson);
    assertThat(range)
        .isNotEmpty()
        .isEqualTo(
            range(
                new CommandLineHarness(),
                List.of("replay", "--json", "--file", reference.toString())));
  }

  @Test
  void takesSeveralFilesOfOneFormat() throws IOException {
    int half = ndjson.indexOf("{\"type\":\"request\",\"request_id\":\"r-200\"");
    Path early =
        Files.write(
            folder.resolve("1"), gzip(ndjson.substring(0, half).getBytes(StandardCharsets.UTF_8)));
    Path late = Files.writeString(folder.resolve("2"), ndjson.substring(half));
    Path reference = Files.writeString(folder.resolve("reference.ndjson"), ndjson);
    assertThat(
            range(
                new CommandLineHarness(),
                List.of("replay", "--json", "--file", late.toString(), early.toString())))
        .isEqualTo(
            range(
                new CommandLineHarness(),
                List.of("replay", "--json", "--file", reference.toString())));
  }

  @Test
  void namesTheFieldsItIgnores() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("traffic.ndjson"),
            ndjson.replace(
                "\"latency_seconds\":7}", "\"latency_seconds\":7,\"latencySeconds\":7}"));
    CommandLineHarness harness = new CommandLineHarness();
    assertThat(harness.run("replay", "--file", file.toString())).isZero();
    assertThat(harness.out())
        .contains("1 unknown fields ignored", "ignored field latencySeconds: 1");
  }

  @Test
  void refusesAFormatThatIsNone() {
    CommandLineHarness harness = new CommandLineHarness();
    assertThat(harness.run("replay", "--file", "-", "--format", "parquet")).isEqualTo(2);
    assertThat(harness.err()).contains("'parquet' must be one of ndjson, csv");
  }
}
