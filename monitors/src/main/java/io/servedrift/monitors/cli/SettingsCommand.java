package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Setting;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import io.servedrift.monitors.cli.settings.SettingsResolver;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that reads settings. Its {@link #settings} become options when the tree is built. */
abstract class SettingsCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(SettingsCommand.class);
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
          "Property for the Kafka clients, may be repeated; SERVEDRIFT_KAFKA_X_Y sets x.y.")
  private final Map<String, String> kafka = new LinkedHashMap<>();

  @Spec private CommandSpec spec;

  private final CommandContext context;

  SettingsCommand(CommandContext context) {
    this.context = context;
  }

  /** The settings this command has options for. */
  abstract List<Setting<?>> settings();

  /** Text by setting key where this command has other defaults than the catalogue. */
  Map<String, String> defaults() {
    return Map.of();
  }

  /** Properties for the client of another cluster that is read, from the command line. */
  Map<String, String> sourceKafka() {
    return Map.of();
  }

  final CommandContext context() {
    return context;
  }

  final CommandSpec spec() {
    return spec;
  }

  /** The settings in force; also sets the logs. */
  final Settings resolveSettings() {
    Settings settings =
        SettingsResolver.resolve(
            SettingOptions.given(spec.commandLine().getParseResult(), settings()),
            kafka,
            sourceKafka(),
            context.environment(),
            configFile(),
            defaults());
    if (settings.get(SettingsCatalogue.LOG_FORMAT).equals("json")) {
      Logging.useJson();
    }
    if (!context.output().verbose() && !context.output().quiet()) {
      Logging.level(settings.get(SettingsCatalogue.LOG_LEVEL));
    }
    KafkaNames.remarks(settings).forEach(LOG::warn);
    return settings;
  }

  private @Nullable Path configFile() {
    String named = context.environment().get(CONFIG_VARIABLE);
    return config != null || named == null || named.isBlank() ? config : Path.of(named);
  }
}
