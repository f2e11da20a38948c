package io.servedrift.serving.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Starts a server as the settings say, and runs it until a signal. */
abstract class ServerCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);
  private static final String CONFIG_VARIABLE = "SERVEDRIFT_CONFIG";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file with settings. Environment: " + CONFIG_VARIABLE + ".")
  private @Nullable Path config;

  @Option(
      names = "--kafka",
      paramLabel = "NAME=VALUE",
      description =
          "Property for the Kafka client, may be repeated; SERVEDRIFT_KAFKA_X_Y sets x.y.")
  private final Map<String, String> kafka = new LinkedHashMap<>();

  @Option(
      names = "--stop-with-stdin",
      description =
          "Also stop when standard input ends: for a program that starts this one and may be killed.")
  private boolean stopWithStdin;

  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  ServerCommand(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** What it reads, in the order of the documentation. */
  abstract List<Setting> settings();

  /**
   * Starts the server.
   *
   * @throws SettingsException with every problem of the settings
   * @throws StartException when it cannot start
   */
  abstract RunningServer start(SettingReader read);

  /** Adds one option for each setting to the command. */
  final void addSettings(CommandSpec own) {
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder()
            .heading("%nSettings (command line > environment > --config FILE > default):%n")
            .exclusive(false)
            .validate(false)
            .order(1000);
    for (Setting setting : settings()) {
      group.addArg(
          OptionSpec.builder(setting.option())
              .paramLabel(setting.value())
              .type(String.class)
              .description(
                  "%s Default: %s. Environment: %s."
                      .formatted(
                          setting.description(), setting.shownDefault(), setting.environmentName()))
              .build());
    }
    own.addArgGroup(group.build());
  }

  @Override
  public Integer call() throws Exception {
    SettingReader read = sources();
    Logging.level(read.word(ServeSettings.LOG_LEVEL, "error", "warn", "info", "debug"));
    CountDownLatch signalled = new CountDownLatch(1);
    AtomicBoolean failed = new AtomicBoolean();
    CountDownLatch closed = new CountDownLatch(1);
    // The JVM runs this at SIGTERM and SIGINT and ends when it returns.
    Thread onSignal = new Thread(() -> closeInOrder(signalled, closed), "stop-signal");
    try (RunningServer server = start(read)) {
      Runtime.getRuntime().addShutdownHook(onSignal);
      spec.commandLine().getOut().println("listening on " + server.address());
      var unused =
          server
              .failure()
              .thenRun(
                  () -> {
                    failed.set(true);
                    signalled.countDown();
                  });
      if (stopWithStdin) {
        awaitEndOfInput(signalled);
      }
      signalled.await();
      LOG.info("stopping");
    } finally {
      closed.countDown();
    }
    return failed.get() ? CommandTree.INTERNAL_ERROR : 0;
  }

  /** The pipe ends when whoever holds its other end is gone, however that came about. */
  private static void awaitEndOfInput(CountDownLatch signalled) {
    Thread reader =
        new Thread(
            () -> {
              try {
                System.in.transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                LOG.warn("standard input cannot be read: {}", e.getMessage());
              }
              signalled.countDown();
            },
            "standard-input");
    reader.setDaemon(true);
    reader.start();
  }

  private static void closeInOrder(CountDownLatch signalled, CountDownLatch closed) {
    signalled.countDown();
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SettingReader sources() {
    String named = environment.get(CONFIG_VARIABLE);
    Path file = config != null || named == null || named.isBlank() ? config : Path.of(named);
    return new SettingSources(settings()).read(given(), kafka, environment, file);
  }

  private Map<String, String> given() {
    ParseResult parsed = spec.commandLine().getParseResult();
    Map<String, String> given = new HashMap<>();
    for (Setting setting : settings()) {
      if (parsed.hasMatchedOption(setting.option())) {
        List<String> values = parsed.matchedOption(setting.option()).stringValues();
        given.put(setting.key(), values.get(0));
      }
    }
    return given;
  }
}
