package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.LoadNumbers;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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

  @Test
  void refusesAFaultThatThePrecisionHasNot() {
    CommandLineHarness cli = new CommandLineHarness();
    assertThat(cli.run("demo", "--fault", "large-batch-precision", "--precision", "int8"))
        .isEqualTo(2);
    assertThat(cli.err()).contains("there is no lower precision");
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
