package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of metrics in the README; {@code -Dservedrift.docs.write=true} writes it anew. */
class MetricsDocumentationTest {
  private static final Path README = Path.of("README.md");
  private static final String START = "<!-- metrics -->\n";
  private static final String END = "<!-- /metrics -->";

  private static String table() {
    return MonitorMetrics.families().stream()
        .map(
            family ->
                "| `%s` | %s | %s | %s |\n"
                    .formatted(
                        family.name(),
                        family.kind().name().toLowerCase(Locale.ROOT),
                        family.labels().stream()
                            .map(l -> "`" + l + "`")
                            .collect(Collectors.joining(" ")),
                        family.help()))
        .collect(
            Collectors.joining(
                "", "| metric | type | labels | meaning |\n|---|---|---|---|\n", ""));
  }

  @Test
  void readmeListsTheMetricsThereAre() throws IOException {
    String text = Files.readString(README);
    assertThat(text).contains(START, END);
    int from = text.indexOf(START) + START.length();
    int to = text.indexOf(END);
    if (Boolean.getBoolean("servedrift.docs.write")) {
      Files.writeString(README, text.substring(0, from) + table() + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).isEqualTo(table());
    }
  }
}
