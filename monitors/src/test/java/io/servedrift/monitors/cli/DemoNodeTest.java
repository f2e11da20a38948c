package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that never listens: its jar is not there. */
class DemoNodeTest {
  @TempDir Path folder;

  private ServingFiles nowhere() {
    return new ServingFiles(folder.resolve("node.jar"), folder, folder);
  }

  @Test
  void saysWhatTheNodeSaid_whenItDoesNotStart() {
    try (StopSignal signal = StopSignal.installForWork()) {
      assertThatThrownBy(
              () ->
                  DemoNode.start(
                      nowhere(), List.of(), List.of(), folder.resolve("node.log"), signal))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("the serving node did not start; it said:")
          .hasMessageContaining("node.jar");
    }
  }

  /** So that the demonstration ends with what the signal says, and cleans up. */
  @Test
  void isNoFailure_whenASignalComesBeforeItListens() throws Exception {
    try (StopSignal signal = StopSignal.installForWork()) {
      signal.stop(ExitCode.DONE);
      assertThat(
              DemoNode.start(nowhere(), List.of(), List.of(), folder.resolve("node.log"), signal))
          .isNull();
    }
  }
}
