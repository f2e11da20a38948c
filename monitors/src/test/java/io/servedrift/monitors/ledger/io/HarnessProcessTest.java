package io.servedrift.monitors.ledger.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HarnessProcessTest {
  private final StringWriter printed = new StringWriter();

  private int run(String script) throws Exception {
    return HarnessProcess.run(List.of("sh", "-c", script), new PrintWriter(printed, true));
  }

  @Test
  void showsWhatTheCommandPrints_andGivesItsCode() throws Exception {
    assertThat(run("echo said; echo failed >&2; exit 3")).isEqualTo(3);
    assertThat(printed.toString()).contains("said\n", "failed\n");
  }

  @Test
  @Timeout(40)
  void doesNotWaitForWhatTheCommandLeftBehind() throws Exception {
    assertThat(run("sleep 60 & echo done")).isZero();
    assertThat(printed.toString()).contains("done");
  }

  @Test
  void saysWhatCannotBeStarted() {
    assertThatThrownBy(
            () -> HarnessProcess.run(List.of("/no/such/program"), new PrintWriter(printed)))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("cannot be started");
  }
}
