package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.cli.settings.SettingsException;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ExitCodeTest {

  @Test
  void numbersArePublicAndFixed() {
    assertThat(ExitCode.values())
        .extracting(ExitCode::code)
        .containsExactly(0, 1, 2, 10, 11, 12, 130);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new IllegalStateException("broken"), 1, "internal error"),
        Arguments.of(new IOException("disk full"), 1, "disk full"),
        Arguments.of(CommandFailure.usage("no file given"), 2, "no file given"),
        Arguments.of(wrongSettings(), 2, "--pane=1: must be a duration"),
        Arguments.of(
            new UncheckedIOException(new NoSuchFileException("a.csv")), 2, "a.csv: no such file"),
        Arguments.of(
            new ExecutionException(new TimeoutException("no node")), 12, "Kafka did not answer"),
        Arguments.of(new SaslAuthenticationException("bad"), 12, "Kafka refused access"),
        Arguments.of(new ConnectException("refused"), 12, "no connection"),
        Arguments.of(new InterruptException("stop"), 130, "interrupted"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void exitsWithTheCodeOfTheCause(Exception thrown, int code, String message) {
    CommandLineHarness harness = new CommandLineHarness();

    assertThat(runFailing(harness, thrown)).isEqualTo(code);
    assertThat(harness.err()).startsWith("servedrift: ").contains(message);
    assertThat(harness.err()).doesNotContain("\tat ");
    assertThat(harness.out()).isEmpty();
  }

  @Test
  void showsWhereTheErrorCameFrom_whenVerbose() {
    CommandLineHarness harness = new CommandLineHarness();

    assertThat(runFailing(harness, new IllegalStateException("broken"), "--verbose")).isEqualTo(1);
    assertThat(harness.err()).contains("\tat ");
  }

  private static int runFailing(CommandLineHarness harness, Exception thrown, String... more) {
    CommandLine root = CommandTree.of(harness.context());
    CommandLine failing = new CommandLine(new Failing(thrown));
    root.addSubcommand("failing", failing);
    failing.setExecutionExceptionHandler(root.getExecutionExceptionHandler());
    failing.setExecutionStrategy(root.getExecutionStrategy());
    return root.execute(
        Stream.concat(Stream.of(more), Stream.of("failing")).toArray(String[]::new));
  }

  private static SettingsException wrongSettings() {
    try {
      SettingsResolver.resolve(Map.of("pane", "1"), Map.of(), Map.of(), null, Map.of());
      throw new AssertionError("accepted");
    } catch (SettingsException expected) {
      return expected;
    }
  }

  @Command(name = "failing")
  private static final class Failing implements java.util.concurrent.Callable<Integer> {

    private final Exception thrown;

    Failing(Exception thrown) {
      this.thrown = thrown;
    }

    @Override
    public Integer call() throws Exception {
      throw thrown;
    }
  }
}
