package io.servedrift.monitors.cli;

import static io.servedrift.monitors.cli.RunningMonitor.PATIENCE;
import static io.servedrift.monitors.cli.RunningMonitor.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.ingest.embedded.EmbeddedBroker;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.Topics;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} as a process of its own: start, intake, windows, orderly stop, restart. */
class RunCommandIT {

  @TempDir private Path folder;

  @Test
  void servesWindowsAndKeepsThemOverARestart() throws Exception {
    RunningMonitor first = RunningMonitor.start(folder);
    try {
      first.awaitReady();
      Instant now = Instant.now();
      assertThat(first.post(request("r-1", now, 1.5) + request("r-2", now, 2.5))).isEqualTo(202);
      await().atMost(PATIENCE).until(() -> first.latencies() == 2);
    } finally {
      first.process().destroy(); // SIGTERM: the orderly end
    }
    assertThat(first.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(first.process().exitValue()).as(first.log()).isZero();

    RunningMonitor second = RunningMonitor.start(folder);
    try {
      second.awaitReady();
      await().atMost(PATIENCE).until(() -> second.latencies() == 2);
      assertThat(second.get("/metrics")).contains("servedrift_build_info");
    } finally {
      new ProcessBuilder("kill", "-INT", String.valueOf(second.process().pid())).start();
    }
    assertThat(second.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(second.process().exitValue()).as(second.log()).isEqualTo(130);
  }

  @Test
  void saysThatItIsNotReady_whileTheBrokerIsGone() throws Exception {
    Path data = folder.resolve("cluster");
    EmbeddedBroker broker = EmbeddedBroker.start(data);
    RunningMonitor monitor = null;
    try {
      try (TopicProvisioner topics =
          TopicProvisioner.connect(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        topics.apply(new Topics(Topics.DEFAULT_PREFIX));
      }
      monitor =
          RunningMonitor.start(
              folder,
              List.of("--bootstrap-servers", broker.bootstrapServers(), "--log-format", "json"));
      monitor.awaitReady();
      assertThat(monitor.components()).containsOnly("broker", "topology", "read_model");

      broker.close();
      RunningMonitor gone = monitor;
      await().atMost(PATIENCE).until(() -> gone.status("/-/ready") == 503);
      JsonNode answer = new ObjectMapper().readTree(monitor.get("/-/ready"));
      assertThat(answer.at("/components/broker/ready").asBoolean(true)).isFalse();
      assertThat(answer.at("/components/broker/detail").asText()).startsWith("no answer: ");
      assertThat(monitor.status("/-/healthy")).isEqualTo(200);

      broker = EmbeddedBroker.start(data);
      await().atMost(PATIENCE).until(() -> gone.status("/-/ready") == 200);
      monitor.process().destroy();
      assertThat(monitor.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(monitor.process().exitValue()).as(monitor.log()).isZero();
      for (String line : monitor.log().lines().toList()) {
        assertThat(new ObjectMapper().readTree(line).path("level").asText()).isNotEmpty();
      }
    } finally {
      if (monitor != null) {
        monitor.process().destroyForcibly().waitFor();
      }
      broker.close();
    }
  }
}
