package io.servedrift.monitors.cli;

import static io.servedrift.monitors.cli.RunningMonitor.PATIENCE;
import static io.servedrift.monitors.cli.RunningMonitor.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Instant;
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
}
