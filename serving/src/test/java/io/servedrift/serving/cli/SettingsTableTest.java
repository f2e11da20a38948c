package io.servedrift.serving.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of settings in the README, written from the code so that they stay true. */
class SettingsTableTest {

  private static String table(List<Setting> settings) {
    StringBuilder table =
        new StringBuilder("| setting | value | default | meaning |\n|---|---|---|---|\n");
    for (Setting setting : settings) {
      table
          .append("| `")
          .append(setting.key())
          .append("` | ")
          .append(setting.value().replace("|", "\\|"))
          .append(" | ")
          .append(setting.defaultText() == null ? "none" : "`" + setting.defaultText() + "`")
          .append(" | ")
          .append(setting.description())
          .append(" |\n");
    }
    return table.toString();
  }

  @Test
  void standsInTheReadme() throws IOException {
    String readme = Files.readString(Path.of("README.md"));

    assertThat(readme).contains(table(ServeSettings.all())).contains(table(ScorerSettings.all()));
  }
}
