package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.AxisChanges;
import io.servedrift.monitors.ledger.Measurement;
import io.servedrift.monitors.ledger.SafeCommand;
import io.servedrift.monitors.ledger.SystemCapture;
import io.servedrift.monitors.ledger.io.HarnessProcess;
import io.servedrift.monitors.ledger.io.ResultFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was captured around a measurement.
 *
 * @param before the system as it was when the measurement began
 * @param after the same system when it ended; null when no command was run
 * @param results where the command wrote; null when no command was run
 */
record MeasuredRun(SystemCapture before, @Nullable SystemCapture after, @Nullable Path results) {

  /** A harness may round the time it gives. */
  private static final Duration CLOCKS = Duration.ofSeconds(1);

  /** When the measurement began. */
  Instant from() {
    return before.at();
  }

  /** When it ended; null when nothing was measured. */
  @Nullable Instant to() {
    return after == null ? null : after.at();
  }

  /**
   * Checks that a result is of this run: a file that says an earlier start was copied, or a cache
   * answered.
   */
  void requireWithin(Measurement measurement) {
    Instant start = measurement.from();
    if (after != null && start != null && start.isBefore(from().minus(CLOCKS))) {
      throw new CommandFailure(
          ExitCode.CHECK_FAILED,
          results
              + ": says that it was measured at "
              + start
              + ", before this run began; nothing was recorded",
          null);
    }
  }

  /** Asks an endpoint once: nothing is measured now. */
  static MeasuredRun ofTheMoment(String address, EndpointAccess access, CommandContext context)
      throws IOException, InterruptedException {
    return new MeasuredRun(access.capture(address, context), null, null);
  }

  /**
   * Runs the command that measures between two looks at the endpoint.
   *
   * @param command may name {@code {endpoint}} and {@code {results}}
   * @param place where the command writes its results; null when it names {@code {results}}
   * @param requirement throws when what serves is not what should be measured
   * @throws CommandFailure when the command fails, or the configuration is not the same afterwards
   */
  static MeasuredRun of(
      String address,
      EndpointAccess access,
      List<String> command,
      @Nullable Path place,
      Consumer<SystemCapture> requirement,
      CommandContext context)
      throws IOException, InterruptedException {
    if (place == null && command.stream().noneMatch(a -> a.contains(SafeCommand.RESULTS))) {
      throw CommandFailure.usage(
          "--results PATH: must say what the command writes, or the command must name {results}");
    }
    Path written = place == null ? Files.createTempDirectory("servedrift-eval") : place;
    List<String> filled =
        SafeCommand.filled(
            command,
            Map.of(SafeCommand.ENDPOINT, address, SafeCommand.RESULTS, written.toString()));
    SystemCapture before = access.capture(address, context);
    requirement.accept(before);
    ResultFiles files = ResultFiles.writtenFromNow(written);
    context
        .terminal()
        .err()
        .println("running " + SafeCommand.text(SafeCommand.of(filled).arguments()));
    int code = HarnessProcess.run(filled, context.terminal().err());
    if (code != 0) {
      throw new CommandFailure(
          ExitCode.CHECK_FAILED,
          command.get(0) + ": ended with exit code " + code + "; nothing was recorded",
          null);
    }
    SystemCapture after = access.capture(address, context);
    List<String> changes = before.changesTo(after);
    if (!changes.isEmpty()) {
      throw new CommandFailure(
          ExitCode.CHECK_FAILED,
          "the configuration changed during the measurement, so it belongs to none; nothing was"
              + " recorded\n  "
              + String.join("\n  ", AxisChanges.shown(changes)),
          null);
    }
    Path newest = files.newest();
    context.terminal().err().println("results in " + newest);
    return new MeasuredRun(before, after, newest);
  }
}
