package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandTreeTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return CommandTree.of(Map.of(), new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void listsEverySetting_whenHelpIsAsked() {
    assertThat(run("serve", "--help")).isZero();
    for (Setting setting : ServeSettings.all()) {
      assertThat(out.toString())
          .contains(setting.option() + "=")
          .containsPattern(setting.environmentName().replace("_", "_\\s*"));
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void failsWithUsage_whenThereIsNoScorer(@TempDir Path dir) {
    assertThat(run("scorer")).isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: scorer: must be given, as --scorer DIR");
    assertThat(run("scorer", "--scorer", dir.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: scorer: ").contains(dir.toString());
  }

  @Test
  void failsWithUsage_andSaysWhatWasMeant() {
    assertThat(run("serve", "--max-runing", "3")).isEqualTo(2);
    assertThat(err.toString()).contains("--max-runing", "--max-running", "serve --help");
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("a command is missing");
  }

  @Test
  void failsWithEveryProblem_whenSettingsAreWrong() {
    assertThat(run("serve", "--port", "x")).isEqualTo(2);
    assertThat(err.toString())
        .contains("servedrift: model: must be given")
        .contains("servedrift: bootstrap-servers: must be given")
        .contains("servedrift: --port=x: must be a whole number");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void failsWithUsage_whenThereIsNoModel(@TempDir Path dir) throws Exception {
    Path empty = Files.createDirectory(dir.resolve("empty"));

    assertThat(run("serve", "--model", empty.toString(), "--bootstrap-servers", "127.0.0.1:1"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("servedrift: " + empty + " is no usable pipeline");
  }
}
