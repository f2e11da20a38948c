package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How settings reach a command, seen from outside: topics stands for all of them. */
class SettingsCommandTest {

  private final CommandLineHarness harness = new CommandLineHarness();

  @TempDir private Path folder;

  @Test
  void reportsProblemsOfAllSourcesTogether() throws IOException {
    Path file = Files.writeString(folder.resolve("s.yaml"), "pan: 60s\n");

    int code =
        harness
            .environment("SERVEDRIFT_GRACE", "long")
            .run("topics", "--topic-prefix", "A_B", "--config", file.toString());

    assertThat(code).isEqualTo(2);
    assertThat(harness.err().lines())
        .containsExactly(
            "servedrift: " + file + ": pan: unknown setting; did you mean pane?",
            "servedrift: --topic-prefix=A_B: must be 1 to 40 of a-z, 0-9 and inner -",
            "servedrift: SERVEDRIFT_GRACE=long: must be a duration (30s, 5m, PT1H) from 0s to 1h");
  }

  @Test
  void readsTheFileNamedInTheEnvironment() throws IOException {
    Path file = Files.writeString(folder.resolve("s.yaml"), "pan: 60s\n");

    assertThat(harness.environment("SERVEDRIFT_CONFIG", file.toString()).run("topics"))
        .isEqualTo(2);
    assertThat(harness.err()).contains("did you mean pane?");
  }

  @Test
  void helpNamesDefaultAndEnvironmentOfEachSetting() {
    assertThat(harness.run("topics", "--help")).isZero();
    assertThat(harness.out().replaceAll("\\s+", " "))
        .contains("--topic-prefix=PREFIX First part of every topic name. Default: servedrift.")
        .contains("Environment: SERVEDRIFT_TOPIC_PREFIX.");
  }
}
