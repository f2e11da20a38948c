package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.ops.MonitorMetrics.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The tables of metrics in the README; {@code -Dservedrift.docs.write=true} writes them anew. */
class MetricsDocumentationTest {
  private static final Path README = Path.of("README.md");

  private static String table(List<Family> families) {
    return families.stream()
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
    requirePart("metrics", table(MonitorMetrics.families()));
  }

  @Test
  void readmeListsTheMetricsOfAlerts() throws IOException {
    requirePart("alert-metrics", table(AlertMetrics.families()));
  }

  private static void requirePart(String name, String wanted) throws IOException {
    String start = "<!-- " + name + " -->\n";
    String end = "<!-- /" + name + " -->";
    String text = Files.readString(README);
    assertThat(text).contains(start, end);
    int from = text.indexOf(start) + start.length();
    int to = text.indexOf(end);
    if (Boolean.getBoolean("servedrift.docs.write")) {
      Files.writeString(README, text.substring(0, from) + wanted + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).isEqualTo(wanted);
    }
  }
}
