package io.servedrift.monitors.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessTest {
  @TempDir Path folder;

  private NodeProcess run(String script) throws IOException {
    return NodeProcess.start(
        List.of("sh", "-c", script), Map.of("ANSWER", "42"), folder.resolve("node.log"));
  }

  @Test
  void keepsWhatIsPrintedInTheFile_andEndsTheProcess() throws IOException {
    NodeProcess node =
        run("echo loading; echo listening on http://127.0.0.1:8000; echo late >&2; exec sleep 600");
    try (node) {
      await().until(() -> node.address().isPresent());
      assertThat(node.address()).contains("http://127.0.0.1:8000");
      assertThat(node.alive()).isTrue();
    }
    assertThat(node.alive()).isFalse();
    assertThat(folder.resolve("node.log"))
        .hasContent("loading\nlistening on http://127.0.0.1:8000\nlate");
  }

  @Test
  void showsItsLastWords_whenItDies() throws IOException {
    try (NodeProcess node = run("echo no model here; exit 3")) {
      await().until(() -> !node.alive());
      assertThat(node.address()).isEmpty();
      assertThat(node.lastLines()).isEqualTo("no model here");
    }
  }

  @Test
  void getsNoSettingsOfThisProcess_butItsOwn() throws IOException {
    try (NodeProcess node = run("env | grep -c SERVEDRIFT_; echo $ANSWER")) {
      await().until(() -> !node.alive());
      assertThat(node.lastLines().lines()).containsExactly("0", "42");
    }
  }

  @Test
  void saysNothingOfAnAddress_beforeThereIsALine() throws IOException {
    try (NodeProcess node = run("exec sleep 600")) {
      assertThat(node.address()).isEmpty();
      assertThat(Files.exists(folder.resolve("node.log"))).isTrue();
    }
  }
}
