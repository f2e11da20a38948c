package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.demo.DemoDriver;
import io.servedrift.monitors.demo.TerminalTable;
import io.servedrift.monitors.demo.TrafficModel;
import io.servedrift.monitors.page.ReadModel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Simulated traffic and the table of its numbers, redrawn until a signal or the end. */
final class SyntheticDemo {
  private static final Duration REDRAW = Duration.ofSeconds(1);
  private static final Duration REPRINT = Duration.ofSeconds(10);

  private final Settings settings;
  private final MonitorProcess monitor;
  private final Terminal terminal;
  private final Clock clock;
  private final StopSignal signal;

  SyntheticDemo(
      Settings settings,
      MonitorProcess monitor,
      Terminal terminal,
      Clock clock,
      StopSignal signal) {
    this.settings = settings;
    this.monitor = monitor;
    this.terminal = terminal;
    this.clock = clock;
    this.signal = signal;
  }

  /**
   * Runs.
   *
   * @param load multiple of about 16 requests per second
   * @param duration until when, null for a signal
   * @param printer hears what was sent
   */
  ExitCode run(long seed, double load, @Nullable Duration duration, DemoPrinter printer)
      throws InterruptedException {
    try (DemoDriver traffic =
        DemoDriver.start(
            new TrafficModel(seed, clock.instant(), load), monitor.publisher()::offer)) {
      printer.say("page and API: " + monitor.address());
      ExitCode code = show(duration);
      printer.say(traffic.offered() + " events sent, " + traffic.refused() + " refused");
      return code;
    }
  }

  private ExitCode show(@Nullable Duration duration) throws InterruptedException {
    TerminalTable table =
        new TerminalTable(terminal.stdout(), terminal.outInteractive(), !terminal.color());
    List<Duration> windows = settings.get(SettingsCatalogue.WINDOWS);
    String note = "the same numbers: " + monitor.address() + "/api/v1/series";
    Instant end = duration == null ? null : clock.instant().plus(duration);
    Duration pause = terminal.outInteractive() ? REDRAW : REPRINT;
    while (true) {
      Duration left = end == null ? pause : Duration.between(clock.instant(), end);
      Duration wait = left.compareTo(pause) < 0 ? left : pause;
      ExitCode code = wait.isNegative() ? ExitCode.DONE : signal.await(wait);
      Throwable failure = monitor.failure();
      if (failure != null) {
        throw new CommandFailure(
            ExitCode.INTERNAL_ERROR, "the topology stopped: " + failure, failure);
      }
      boolean over = end != null && !clock.instant().isBefore(end);
      if (code == null || over) {
        table.draw(monitor.readModel(), longestClosed(monitor.readModel(), windows), note);
      }
      if (code != null || over) {
        return code == null ? ExitCode.DONE : code;
      }
    }
  }

  /** The longer the window, the more requests it holds and the sooner it can say a p99. */
  private static Duration longestClosed(ReadModel model, List<Duration> windows) {
    for (int i = windows.size() - 1; i > 0; i--) {
      if (!model.latest(windows.get(i)).isEmpty()) {
        return windows.get(i);
      }
    }
    return windows.get(0);
  }
}
