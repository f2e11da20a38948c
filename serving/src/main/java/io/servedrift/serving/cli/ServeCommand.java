package io.servedrift.serving.cli;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Runs a serving node until a signal. */
@Command(
    name = "serve",
    description = "Run a serving node: text-to-image over HTTP, events to Kafka, until a signal.")
final class ServeCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);
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

  private final Map<String, String> environment;
  private final EngineLoader loader;

  @Spec private CommandSpec spec;

  ServeCommand(Map<String, String> environment, EngineLoader loader) {
    this.environment = Map.copyOf(environment);
    this.loader = loader;
  }

  /** Adds one option for each setting to the command. */
  static void addSettings(CommandSpec own) {
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder()
            .heading("%nSettings (command line > environment > --config FILE > default):%n")
            .exclusive(false)
            .validate(false)
            .order(1000);
    for (Setting setting : ServeSettings.all()) {
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
    ServeOptions options = ServeOptions.of(sources());
    Logging.level(options.logLevel());
    options.warnings().forEach(LOG::warn);
    CountDownLatch signalled = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    // The JVM runs this at SIGTERM and SIGINT and ends when it returns.
    Thread onSignal = new Thread(() -> closeInOrder(signalled, closed), "node-signal");
    try (RunningNode node = RunningNode.start(options, loader)) {
      Runtime.getRuntime().addShutdownHook(onSignal);
      spec.commandLine().getOut().println("listening on " + node.address());
      signalled.await();
      LOG.info("stopping");
    } finally {
      closed.countDown();
    }
    return 0;
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
    return new SettingSources(ServeSettings.all()).read(given(), kafka, environment, file);
  }

  private Map<String, String> given() {
    ParseResult parsed = spec.commandLine().getParseResult();
    Map<String, String> given = new HashMap<>();
    for (Setting setting : ServeSettings.all()) {
      if (parsed.hasMatchedOption(setting.option())) {
        List<String> values = parsed.matchedOption(setting.option()).stringValues();
        given.put(setting.key(), values.get(0));
      }
    }
    return given;
  }
}
