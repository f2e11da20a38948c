package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.LoadNumbers;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import io.servedrift.schemas.avro.Severity;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoCommandTest {

  @Test
  void namesWhatIsMissing_whenThereIsNoNode() {
    CommandLineHarness cli = new CommandLineHarness();
    assertThat(cli.run("demo", "--serving-jar", "/nowhere/node.jar")).isEqualTo(2);
    assertThat(cli.err())
        .contains("/nowhere/node.jar: not found")
        .contains("--serving-jar")
        .contains("--synthetic");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void namesTheFaultsThatThereAre() {
    CommandLineHarness cli = new CommandLineHarness();
    assertThat(cli.run("demo", "--fault", "cosmic-rays")).isEqualTo(2);
    assertThat(cli.err()).contains("cosmic-rays");
    for (DemoFault fault : DemoFault.values()) {
      assertThat(cli.err()).contains(fault.word());
    }
  }

  @Test
  void namesThePrecisionsThatThereAre() {
    CommandLineHarness cli = new CommandLineHarness();
    assertThat(cli.run("demo", "--precision", "fp64")).isEqualTo(2);
    assertThat(cli.err()).contains("'fp64' must be one of fp32, bf16, int8");
  }

  private static Finding finding(
      String id, String metric, Severity severity, String direction, String cause, int second) {
    return finding(id, metric, severity, direction, cause, second, FindingState.OPEN);
  }

  private static Finding finding(
      String id,
      String metric,
      Severity severity,
      String direction,
      String cause,
      int second,
      FindingState state) {
    Instant at = Instant.parse("2026-03-01T00:00:00Z").plusSeconds(second);
    return Finding.newBuilder()
        .setFindingId(id)
        .setDeployment("d")
        .setModelId("m")
        .setConfigId("c")
        .setMetric(metric)
        .setStatistic("mean")
        .setDirection(direction)
        .setOnsetAt(at)
        .setDetectedAt(at)
        .setState(state)
        .setSeverity(severity)
        .setIncidentId("i")
        .setPolicyHash("p")
        .setBody("{\"verdict\":{\"cause\":\"" + cause + "\"}}")
        .build();
  }

  @Test
  void waitsForADecidedFindingAboutWhatUsersGet() {
    Finding waits = finding("1", "latency", Severity.TICKET, "worse", "batching", 1);
    Finding better = finding("2", "clip", Severity.INFO, "better", "cache", 2);
    Finding open = finding("3", "clip", Severity.TICKET, "worse", "inconclusive", 3);
    Finding later = finding("5", "clip", Severity.PAGE, "worse", "cache", 5);
    Finding first = finding("4", "clip", Severity.TICKET, "worse", "cache", 4);
    Finding over = finding("6", "clip", Severity.PAGE, "worse", "cache", 1, FindingState.CLOSED);
    Finding failing = finding("7", "error_ratio", Severity.PAGE, "worse", "batching", 1);

    DemoFault wrong = DemoFault.CACHED_CONDITIONING_PRECISION;
    Instant start = Instant.parse("2026-03-01T00:00:00Z");
    assertThat(DemoVerdict.of(List.of(waits, better, open, over, failing), wrong, start)).isEmpty();
    assertThat(DemoVerdict.of(List.of(waits, later, first), wrong, start)).contains(first);
    assertThat(DemoVerdict.of(List.of(waits, first, failing), DemoFault.SLOW_NODE, start))
        .contains(waits);
    // Found before the fault began: about something else.
    assertThat(DemoVerdict.of(List.of(later, first), wrong, start.plusSeconds(5))).contains(later);
  }

  @Test
  void saysInWordsHowANumberMoved() {
    assertThat(DemoPrinter.moved("mean", 1, .5)).isEqualTo("mean fell: 1.00 s -> 0.500 s");
    assertThat(DemoPrinter.moved("p99", 1, 2)).isEqualTo("p99 rose: 1.00 s -> 2.00 s");
    assertThat(DemoPrinter.moved("mean", 1, 1.02)).isEqualTo("mean stayed: 1.00 s -> 1.02 s");
    assertThat(DemoPrinter.moved("mean", .1449, .1391)).isEqualTo("mean fell: 0.145 s -> 0.139 s");
    assertThat(DemoPrinter.moved("p99", Double.NaN, 2)).isEqualTo("p99 insufficient");
    assertThat(
            DemoPrinter.text(
                new LoadNumbers(List.of(.5, 1.5), 1, "HTTP 429"), Duration.ofSeconds(4)))
        .isEqualTo("2 images, 0.5/s, mean 1.00 s, p99 -, 1 failed, the latest: HTTP 429");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void saysHowFarItIs_onlyToWhoWatches(boolean watched) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    DemoPrinter printer =
        new DemoPrinter(
            Terminal.of(
                OutputStream.nullOutputStream(),
                err,
                InputStream.nullInputStream(),
                false,
                watched,
                false),
            false);
    printer.say("starting the serving node");
    printer.progress(Duration.ofSeconds(10), new LoadNumbers(List.of(.5), 0, null));

    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .hasSize(watched ? 2 : 1)
        .startsWith("starting the serving node");
  }
}
