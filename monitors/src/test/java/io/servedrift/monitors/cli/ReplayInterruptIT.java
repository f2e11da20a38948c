package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in the middle of a replay: what was done so far is given, and is called partial. */
class ReplayInterruptIT {
  private static final int EVENTS = 60_000;

  @TempDir Path dir;

  private Path traffic() throws IOException {
    Path file = dir.resolve("traffic.ndjson");
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      for (int i = 0; i < EVENTS; i++) {
        out.println(
            "{\"type\":\"request\",\"request_id\":\"r-%d\",\"deployment\":\"d\",\"status\":\"ok\",\"finished_at\":%d,\"latency_seconds\":1.5}"
                .formatted(i, 1_764_500_400_000L + i * 1000L));
      }
    }
    return file;
  }

  @Test
  void givesPartialResults_andExits130() throws Exception {
    Path report = dir.resolve("report");
    Process replay =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.servedrift.monitors.cli.Main",
                "replay",
                "--file",
                traffic().toString(),
                "--windows",
                "-",
                "--report",
                report.toString())
            .redirectError(dir.resolve("err").toFile())
            .start();
    // The process cannot end before this reads on: there are more windows than a pipe holds.
    try (BufferedReader out = replay.inputReader(StandardCharsets.UTF_8)) {
      assertThat(out.readLine()).contains("\"type\":\"window\"");
      Process signal = new ProcessBuilder("kill", "-INT", Long.toString(replay.pid())).start();
      assertThat(signal.waitFor()).isZero();
      while (out.readLine() != null) {}
    }
    assertThat(replay.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String messages = Files.readString(dir.resolve("err"));
    assertThat(replay.exitValue()).as(messages).isEqualTo(130);
    assertThat(messages).contains("partial: interrupted before the end");
    JsonNode document = new ObjectMapper().readTree(report.resolve("report.json").toFile());
    assertThat(document.path("partial").asBoolean()).isTrue();
    assertThat(document.at("/run/summary/records").asLong()).isPositive().isLessThan(EVENTS);
    assertThat(document.path("timelines")).isNotEmpty();
  }
}
