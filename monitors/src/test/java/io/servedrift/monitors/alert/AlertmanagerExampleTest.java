package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example of routing, read by Alertmanager's own tool. */
class AlertmanagerExampleTest {

  private static String amtool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("amtool"));
    command.addAll(List.of(arguments));
    Process amtool =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(amtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(amtool.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(amtool.exitValue()).as(said).isZero();
    return said;
  }

  @Test
  void isValid() throws Exception {
    assertThat(amtool("check-config", RealAlertmanager.EXAMPLE.toString()))
        .contains("SUCCESS", "3 inhibit rules", "2 receivers");
  }

  @ParameterizedTest
  @CsvSource({"page, page", "ticket, ticket"})
  void routesBySeverity(String severity, String receiver) throws Exception {
    assertThat(
            amtool(
                    "config",
                    "routes",
                    "test",
                    "--config.file=" + RealAlertmanager.EXAMPLE,
                    "source=servedrift",
                    "alertname=ServedriftScoreShift",
                    "severity=" + severity)
                .strip())
        .isEqualTo(receiver);
  }

  /** Alerts about the monitor itself come from Prometheus, whose rules set no source. */
  @ParameterizedTest
  @CsvSource({
    "ServedriftMonitorDown, page, page",
    "ServedriftNotRunning, page, page",
    "ServedriftLagging, ticket, ticket"
  })
  void routesTheAlertsOfTheRulesBySeverity(String name, String severity, String receiver)
      throws Exception {
    assertThat(
            amtool(
                    "config",
                    "routes",
                    "test",
                    "--config.file=" + RealAlertmanager.EXAMPLE,
                    "job=servedrift",
                    "alertname=" + name,
                    "severity=" + severity)
                .strip())
        .isEqualTo(receiver);
  }

  /** A rule whose alerts do not exist, or whose labels are not ours, would inhibit nothing. */
  @Test
  void usesOurNames() throws IOException {
    String example = Files.readString(RealAlertmanager.EXAMPLE);
    assertThat(example).contains(AlertName.DATA_MISSING.label());
    List<String> shifts =
        List.of(
            AlertName.LATENCY_TAIL_SHIFT.label(),
            AlertName.LATENCY_SHIFT.label(),
            AlertName.SCORE_SHIFT.label(),
            AlertName.ERROR_RATIO_SHIFT.label());
    String pattern = "Servedrift(LatencyTail|Latency|Score|ErrorRatio)Shift";
    assertThat(example).contains(pattern);
    assertThat(shifts).allMatch(name -> name.matches(pattern));
    example
        .lines()
        .filter(line -> line.strip().startsWith("equal:") || line.strip().startsWith("group_by:"))
        .map(line -> line.replaceAll(".*\\[|].*", "").split(", "))
        .forEach(labels -> assertThat(AlertKey.NAMES).contains(labels));
  }
}
