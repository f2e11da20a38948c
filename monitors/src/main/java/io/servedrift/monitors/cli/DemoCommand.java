package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.SettingSource;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.demo.DemoDriver;
import io.servedrift.monitors.demo.TerminalTable;
import io.servedrift.monitors.demo.TrafficModel;
import io.servedrift.monitors.page.ReadModel;
import io.servedrift.monitors.text.Quantities;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "demo",
    description =
        "Show the product on this machine: a broker, the monitor and synthetic traffic in one"
            + " process.")
final class DemoCommand extends SettingsCommand {

  /** Short panes and windows, so that a first window closes within seconds. */
  private static final Map<String, String> POLICY =
      Map.of(
          "pane", "2s",
          "windows", "10s,1m,5m",
          "grace", "1s",
          "score-grace", "25s",
          "horizon", "2m",
          "tick", "500ms",
          "commit-interval", "200ms",
          "log-level", "warn");

  private static final Duration REDRAW = Duration.ofSeconds(1);
  private static final Duration REPRINT = Duration.ofSeconds(10);

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "Seed of the synthetic traffic; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--load",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "Multiple of about 16 requests per second, 0.1 to 1000; default: ${DEFAULT-VALUE}.")
  private double load;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Stop after this time (30s, 5m); default: at a signal (Ctrl-C).")
  private @Nullable Duration duration;

  DemoCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.PANE,
        SettingsCatalogue.WINDOWS,
        SettingsCatalogue.GRACE,
        SettingsCatalogue.SCORE_GRACE,
        SettingsCatalogue.HTTP_HOST,
        SettingsCatalogue.HTTP_PORT,
        SettingsCatalogue.ALERTMANAGER_URLS,
        SettingsCatalogue.LOG_LEVEL);
  }

  @Override
  Map<String, String> defaults() {
    return POLICY;
  }

  @Override
  public Integer call() throws Exception {
    if (!(load >= 0.1 && load <= 1000)) {
      throw CommandFailure.usage("--load=" + load + ": must be from 0.1 to 1000");
    }
    Settings settings = resolveSettings();
    ListenAddress listen = listenAddress(settings);
    StopSignal signal = StopSignal.install();
    say("starting a broker and the monitor; " + policy(settings));
    try (BrokerConnection broker = broker(settings);
        MonitorProcess monitor = MonitorProcess.start(settings, listen, broker, context().clock());
        DemoDriver traffic =
            DemoDriver.start(
                new TrafficModel(seed, context().clock().instant(), load),
                monitor.publisher()::offer)) {
      say("page and API: " + monitor.address());
      ExitCode code = show(settings, monitor, signal);
      say(traffic.offered() + " events sent, " + traffic.refused() + " refused");
      return code.code();
    }
  }

  /** The demo must not fail for a port that nobody asked for. */
  private ListenAddress listenAddress(Settings settings) {
    ListenAddress listen = ListenAddress.of(settings);
    if (settings.sourceOf(SettingsCatalogue.HTTP_PORT) == SettingSource.DEFAULT
        && !listen.isFree()) {
      say("port " + listen.port() + " is in use, taking a free one");
      return listen.withFreePort();
    }
    listen.requireFree();
    return listen;
  }

  private static BrokerConnection broker(Settings settings) {
    return settings.find(SettingsCatalogue.EMBEDDED).isPresent()
        ? BrokerConnection.open(settings)
        : BrokerConnection.openTemporary(settings);
  }

  private ExitCode show(Settings settings, MonitorProcess monitor, StopSignal signal)
      throws InterruptedException {
    Terminal terminal = context().terminal();
    TerminalTable table =
        new TerminalTable(terminal.stdout(), terminal.outInteractive(), !terminal.color());
    List<Duration> windows = settings.get(SettingsCatalogue.WINDOWS);
    String note = "the same numbers: " + monitor.address() + "/api/v1/series";
    Instant end = duration == null ? null : context().clock().instant().plus(duration);
    Duration pause = terminal.outInteractive() ? REDRAW : REPRINT;
    while (true) {
      Duration left = end == null ? pause : Duration.between(context().clock().instant(), end);
      Duration wait = left.compareTo(pause) < 0 ? left : pause;
      ExitCode code = wait.isNegative() ? ExitCode.DONE : signal.await(wait);
      Throwable failure = monitor.failure();
      if (failure != null) {
        throw new CommandFailure(
            ExitCode.INTERNAL_ERROR, "the topology stopped: " + failure, failure);
      }
      boolean over = end != null && !context().clock().instant().isBefore(end);
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

  private static String policy(Settings settings) {
    return "pane "
        + Quantities.text(settings.get(SettingsCatalogue.PANE))
        + ", windows "
        + String.join(
            " ", settings.get(SettingsCatalogue.WINDOWS).stream().map(Quantities::text).toList())
        + ", grace "
        + Quantities.text(settings.get(SettingsCatalogue.GRACE))
        + ", score grace "
        + Quantities.text(settings.get(SettingsCatalogue.SCORE_GRACE));
  }

  private void say(String line) {
    if (!context().output().quiet()) {
      context().terminal().err().println(line);
    }
  }

  /** Durations as in settings. */
  static final class DurationConverter implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String text) {
      try {
        return Quantities.duration(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + text + "' must be a duration (30s, 5m, PT1H)");
      }
    }
  }
}
