package io.servedrift.monitors.gate.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final int REFUSED = 3;

  /** Another process that opens the journal of a folder. */
  static final class Other {
    private Other() {}

    public static void main(String[] args) throws Exception {
      try (Journal journal = Journal.open(Path.of(args[0]))) {
        journal.sync();
      } catch (GateInputException e) {
        Runtime.getRuntime().halt(REFUSED);
      }
    }
  }

  @TempDir private Path folder;

  private int other() throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Other.class.getName(),
            folder.toString())
        .inheritIO()
        .start()
        .waitFor();
  }

  @Test
  void keepsAnotherProcessOut_afterItWasRead() throws Exception {
    try (Journal journal = Journal.open(folder)) {
      journal.append(Journal.JSON.createObjectNode().put("kind", "a"));
      Journal.read(folder, line -> {});

      assertThat(other()).isEqualTo(REFUSED);
      assertThatThrownBy(() -> Journal.open(folder))
          .isInstanceOf(GateInputException.class)
          .hasMessageContaining("another gate writes here");
    }
    assertThat(other()).isZero();
  }

  @Test
  void cutsOffALineThatWasNotWrittenWhole() throws Exception {
    Files.writeString(folder.resolve(Journal.NAME), "{\"kind\":\"a\"}\n{\"ki");
    try (Journal journal = Journal.open(folder)) {
      journal.append(Journal.JSON.createObjectNode().put("kind", "b"));
    }
    List<String> kinds = new ArrayList<>();
    Journal.read(folder, line -> kinds.add(line.path("kind").asText()));

    assertThat(kinds).containsExactly("a", "b");
  }
}
