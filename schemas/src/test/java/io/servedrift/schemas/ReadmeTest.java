package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The README's tables are those of the code. */
class ReadmeTest {
  private static String readme() throws IOException {
    return Files.readString(Path.of("README.md"));
  }

  @Test
  void listsEveryReason() throws IOException {
    String table =
        Arrays.stream(RejectReason.values())
            .map(r -> "| `" + r.code() + "` | " + r.meaning() + " |")
            .collect(
                Collectors.joining(
                    "\n",
                    "<!-- reasons -->\n| reason | when |\n|---|---|\n",
                    "\n<!-- /reasons -->"));
    assertThat(readme()).contains(table);
  }

  @Test
  void listsEveryEvent() throws IOException {
    String readme = readme();
    for (EventType type : EventType.values()) {
      if (type.isInput()) {
        assertThat(readme).contains("| `" + type.word() + "` | " + type.schema().getName() + " |");
      } else {
        assertThat(readme).contains(type.word());
      }
    }
  }

  @Test
  void codesAreTheNamesInLowerCase() {
    for (RejectReason r : RejectReason.values()) {
      assertThat(r.code()).isEqualTo(r.name().toLowerCase(java.util.Locale.ROOT));
    }
  }
}
