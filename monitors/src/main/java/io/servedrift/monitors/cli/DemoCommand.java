package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.SettingSource;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.demo.DemoFault;
import io.servedrift.monitors.demo.DemoPolicy;
import io.servedrift.monitors.text.Quantities;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "demo",
    description =
        "Tell the story of a migration on this machine: a broker, the monitor, a serving node and"
            + " real images.")
final class DemoCommand extends SettingsCommand {

  /** Short panes and windows, so that a first window closes within seconds. */
  private static final Map<String, String> SHORT =
      Map.of(
          "pane", "2s",
          "windows", "10s,1m,5m",
          "grace", "1s",
          "score-grace", "4s",
          "horizon", "2m",
          "tick", "500ms",
          "commit-interval", "200ms",
          "log-level", "warn");

  /** Synthetic scores come up to 20 s after their images. */
  private static final String SYNTHETIC_SCORE_GRACE = "25s";

  @Option(
      names = "--fault",
      paramLabel = "NAME",
      converter = FaultConverter.class,
      defaultValue = "cached-conditioning-precision",
      description =
          "What goes wrong in the second act: none, conditioning-key-collision,"
              + " cached-conditioning-precision, stale-cache-after-weights,"
              + " padding-in-mixed-batches, large-batch-precision, eviction-storm,"
              + " preemption-thrash or slow-node; default: ${DEFAULT-VALUE}. The last three, the"
              + " stale cache and none come without a migration.")
  private DemoFault fault = DemoFault.CACHED_CONDITIONING_PRECISION;

  @Option(
      names = "--precision",
      paramLabel = "fp32|bf16|int8",
      converter = PrecisionConverter.class,
      defaultValue = "bf16",
      description =
          "Arithmetic of the nodes; default: ${DEFAULT-VALUE}, where a shared batch is worth most"
              + " without a GPU.")
  private String precision = "bf16";

  @Option(
      names = "--exit-after-verdict",
      description =
          "End with the verdict, and after a migration with the test that decides it: exit code 0"
              + " when the cause is the right one, 10 when it is another, 11 without a verdict 5"
              + " minutes into act two. With --fault none: after 5 minutes or --duration. Without"
              + " a fault the end is always judged: 10 after a page or a ticket, 11 when it was"
              + " too short to judge, else 0.")
  private boolean exitAfterVerdict;

  @Option(
      names = "--no-test",
      description =
          "Without act three, in which the release gate tests the verdict; only a migration has"
              + " it.")
  private boolean noTest;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Stop after this time (30s, 5m); default: at a signal (Ctrl-C).")
  private @Nullable Duration duration;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      defaultValue = "1",
      description = "Seed of the prompts, or of the synthetic traffic; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--serving-jar",
      paramLabel = "FILE",
      description = "The serving node; default: serving/target/servedrift-serving.jar.")
  private @Nullable Path servingJar;

  @Option(
      names = "--models",
      paramLabel = "DIR",
      description = "Folder with the models scenes and clip-scenes; default: serving/models.")
  private @Nullable Path models;

  @Option(
      names = "--synthetic",
      description =
          "No node and no images: simulated traffic of one deployment with two configurations, and"
              + " the table of its numbers.")
  private boolean synthetic;

  @Option(
      names = "--load",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "With --synthetic: multiple of about 16 requests per second, 0.1 to 1000; default:"
              + " ${DEFAULT-VALUE}.")
  private double load;

  private @Nullable Path policyFile;

  DemoCommand(CommandContext context) {
    super(context);
  }

  @Override
  List<Setting<?>> settings() {
    return List.of(
        SettingsCatalogue.EMBEDDED,
        SettingsCatalogue.POLICY,
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
    Map<String, String> defaults = new HashMap<>(SHORT);
    if (policyFile != null) {
      defaults.put(SettingsCatalogue.POLICY.key(), policyFile.toString());
    }
    if (synthetic) {
      defaults.put(SettingsCatalogue.SCORE_GRACE.key(), SYNTHETIC_SCORE_GRACE);
    }
    return defaults;
  }

  @Override
  public Integer call() throws Exception {
    if (!(load >= 0.1 && load <= 1000)) {
      throw CommandFailure.usage("--load=" + load + ": must be from 0.1 to 1000");
    }
    if (synthetic) {
      return simulate().code();
    }
    if (fault == DemoFault.LARGE_BATCH_PRECISION && precision.equals("int8")) {
      throw CommandFailure.usage(
          "--fault large-batch-precision with --precision int8: there is no lower precision that"
              + " large batches could run in; must be fp32 or bf16");
    }
    ServingFiles files = ServingFiles.find(servingJar, models);
    Path folder = Files.createTempDirectory("servedrift-demo-");
    ExitCode code = tell(files, folder);
    // What went wrong, or why there is no verdict, is in there.
    if (code == ExitCode.DONE || code == ExitCode.INTERRUPTED) {
      Folders.delete(folder);
    } else {
      printer().say("logs: " + folder);
    }
    return code.code();
  }

  private ExitCode tell(ServingFiles files, Path folder) throws Exception {
    policyFile = Files.writeString(folder.resolve("policy.yaml"), DemoPolicy.yaml());
    Settings settings = resolveSettings();
    Path policy = settings.find(SettingsCatalogue.POLICY).orElse(policyFile);
    ListenAddress listen = listenAddress(settings);
    StopSignal signal = StopSignal.install();
    DemoPrinter printer = printer();
    if (!context().output().verbose()) {
      Logging.toFile(folder.resolve("monitor.log"));
    }
    printer.say("starting a broker and the monitor; " + panes(settings) + "; logs: " + folder);
    try (BrokerConnection broker = broker(settings);
        MonitorProcess monitor =
            MonitorProcess.start(settings, listen, broker, context().clock())) {
      DemoSession session =
          new DemoSession(
              monitor,
              broker,
              files,
              folder,
              new DemoOptions(
                  seed,
                  fault,
                  precision,
                  exitAfterVerdict,
                  !noTest,
                  duration,
                  policy,
                  settings.get(SettingsCatalogue.PANE)),
              context().clock(),
              signal,
              printer);
      DemoLinks links =
          new DemoLinks(
              monitor.address(), broker.bootstrapServers(), policy, paneOptions(settings));
      return fault.story() == DemoFault.Story.MIGRATION
          ? new MigrationDemo(session, links).run()
          : new ServiceDemo(session, links).run();
    }
  }

  private ExitCode simulate() throws Exception {
    Settings settings = resolveSettings();
    ListenAddress listen = listenAddress(settings);
    StopSignal signal = StopSignal.install();
    DemoPrinter printer = printer();
    printer.say("starting a broker and the monitor; " + panes(settings));
    try (BrokerConnection broker = broker(settings);
        MonitorProcess monitor =
            MonitorProcess.start(settings, listen, broker, context().clock())) {
      return new SyntheticDemo(settings, monitor, context().terminal(), context().clock(), signal)
          .run(seed, load, duration, printer);
    }
  }

  private DemoPrinter printer() {
    return new DemoPrinter(context().terminal(), context().output().quiet());
  }

  /** The demo must not fail for a port that nobody asked for. */
  private ListenAddress listenAddress(Settings settings) {
    ListenAddress listen = ListenAddress.of(settings);
    if (settings.sourceOf(SettingsCatalogue.HTTP_PORT) == SettingSource.DEFAULT
        && !listen.isFree()) {
      printer().say("port " + listen.port() + " is in use, taking a free one");
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

  private static String panes(Settings settings) {
    return "panes "
        + Quantities.text(settings.get(SettingsCatalogue.PANE))
        + ", windows "
        + String.join(
            " ", settings.get(SettingsCatalogue.WINDOWS).stream().map(Quantities::text).toList())
        + ", grace "
        + Quantities.text(settings.get(SettingsCatalogue.GRACE))
        + ", score grace "
        + Quantities.text(settings.get(SettingsCatalogue.SCORE_GRACE));
  }

  /** What the settings that decide which record counts where are on a command line. */
  private static String paneOptions(Settings settings) {
    StringJoiner options = new StringJoiner(" ");
    options.add("--pane " + Quantities.text(settings.get(SettingsCatalogue.PANE)));
    options.add(
        "--windows "
            + String.join(
                ",",
                settings.get(SettingsCatalogue.WINDOWS).stream().map(Quantities::text).toList()));
    options.add("--grace " + Quantities.text(settings.get(SettingsCatalogue.GRACE)));
    options.add("--score-grace " + Quantities.text(settings.get(SettingsCatalogue.SCORE_GRACE)));
    options.add("--horizon " + Quantities.text(settings.get(SettingsCatalogue.HORIZON)));
    return options.toString();
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

  /** Faults by their names. */
  static final class FaultConverter implements ITypeConverter<DemoFault> {

    @Override
    public DemoFault convert(String text) {
      try {
        return DemoFault.ofWord(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + text + "' " + e.getMessage());
      }
    }
  }

  /** Precisions by their words. */
  static final class PrecisionConverter implements ITypeConverter<String> {
    private static final List<String> WORDS = List.of("fp32", "bf16", "int8");

    @Override
    public String convert(String text) {
      if (!WORDS.contains(text)) {
        throw new TypeConversionException("'" + text + "' must be one of fp32, bf16, int8");
      }
      return text;
    }
  }
}
