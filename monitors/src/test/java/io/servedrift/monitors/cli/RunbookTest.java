package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.alert.AlertName;
import io.servedrift.monitors.attribution.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RunbookTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String RUNBOOK = Documents.read("monitors/RUNBOOK.md");

  /** Those of the contract, and those of the monitor's own health. */
  private static final List<String> ALERTS =
      Stream.concat(
              Arrays.stream(AlertName.values()).map(AlertName::label),
              Stream.of(
                  "ServedriftMonitorDown",
                  "ServedriftLagging",
                  "ServedriftDeadLetters",
                  "ServedriftLateRecords",
                  "ServedriftConservationBroken",
                  "ServedriftForwardFailing",
                  "ServedriftNotRunning",
                  "ServedriftTicksMissing",
                  "ServedriftJudgeFailing",
                  "ServedriftDeploymentSilent",
                  "ServedriftReadModelDropping"))
          .toList();

  private static List<String> matches(String pattern, String text) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  private static List<String> headings() {
    return matches("^### (\\S+)$", RUNBOOK);
  }

  @Test
  void hasOneSectionForEachAlert_andNoOther() throws IOException {
    Set<String> alerts = new LinkedHashSet<>(ALERTS);
    try (Stream<Path> files = Files.walk(ROOT.resolve("monitors/observability"))) {
      for (Path file : files.filter(each -> each.endsWith("rules.yml")).toList()) {
        alerts.addAll(matches("^ *- alert: (\\S+)$", Files.readString(file)));
      }
    }
    assertThat(headings().stream().filter(heading -> heading.startsWith("Servedrift")))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(alerts);
  }

  @Test
  void saysOfEachAlertWhatItMeansWhereToLookAndHowItEnds() {
    List<String> sections = new ArrayList<>(Arrays.asList(RUNBOOK.split("(?m)^##+ ", -1)));
    sections.removeIf(section -> !section.startsWith("Servedrift"));
    assertThat(sections)
        .hasSizeGreaterThanOrEqualTo(ALERTS.size())
        .allSatisfy(
            section ->
                assertThat(section)
                    .containsSubsequence("**Means:**", "**First look", "**Ends**")
                    .matches("(?s).*(```|\\]\\(#servedrift).*"));
  }

  @Test
  void hasASectionForEachCause() {
    assertThat(headings()).containsAll(Stream.of(Cause.values()).map(Cause::label).toList());
  }

  @Test
  void linksToSectionsThatThereAre() {
    List<String> anchors =
        matches("^##+ (.+)$", RUNBOOK).stream()
            .map(heading -> heading.toLowerCase(Locale.ROOT).replace(' ', '-'))
            .toList();
    assertThat(anchors).containsAll(matches("\\]\\(#([^)]+)\\)", RUNBOOK));
    String readme = Documents.read("monitors/README.md");
    List<String> readmeAnchors =
        matches("^##+ (.+)$", readme).stream()
            .map(heading -> heading.toLowerCase(Locale.ROOT).replace(' ', '-'))
            .toList();
    assertThat(readmeAnchors).containsAll(matches("\\]\\(README\\.md#([^)]+)\\)", RUNBOOK));
  }
}
