package io.servedrift.monitors.cli;

import io.servedrift.ingest.adapters.Adapter;
import io.servedrift.ingest.adapters.AdapterFormat;
import io.servedrift.ingest.adapters.AdapterSettings;
import io.servedrift.ingest.adapters.AnnouncingAdapter;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.schemas.PromptHash;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What the records of a runtime do not say themselves. */
final class SourceOptions {
  /** The deployment's key, also read by serving nodes. */
  private static final String KEY_VARIABLE = "SERVEDRIFT_PROMPT_HASH_KEY_FILE";

  @Option(
      names = "--as-deployment",
      paramLabel = "NAME",
      description = "Deployment that the records of a runtime's format are of.")
  private @Nullable String deployment;

  @Option(
      names = "--as-node",
      paramLabel = "NAME",
      description = "Node that the records of a runtime's format are of.")
  private @Nullable String node;

  @Option(
      names = "--time-zone",
      paramLabel = "ZONE",
      converter = ZoneConverter.class,
      description =
          "Zone of times in a runtime's format that carry none, such as UTC or Europe/Berlin.")
  private @Nullable ZoneId zone;

  @Option(
      names = "--as-config",
      paramLabel = "FILE",
      description =
          "Configuration that served the records: the saved answer of /server_info or"
              + " /v1/list_loras, a manifest of OME or KServe, the log of the start, a config"
              + " record, or an environment. May be repeated: the parts are put together.")
  private List<Path> configs = List.of();

  @Option(
      names = "--prompt-hash-key-file",
      paramLabel = "FILE",
      description =
          "Key of the deployment (32 bytes or more) for hashes of prompts; without it prompts leave"
              + " no trace. Environment: SERVEDRIFT_PROMPT_HASH_KEY_FILE.")
  private @Nullable Path promptHashKeyFile;

  /**
   * The settings for an adapter of history.
   *
   * @throws CommandFailure when the format needs what is not given, or a file cannot be read
   */
  AdapterSettings settings(AdapterFormat format, CommandContext context) {
    AdapterSettings settings = withoutConfig(format, context.environment());
    if (configs.isEmpty()) {
      return settings;
    }
    Optional<Captured> captured = served(context).now();
    return settings.withServed(() -> captured);
  }

  /**
   * An adapter for a source that is followed: the files of {@code --as-config} are looked at again,
   * but for logs, which tell the server's configuration themselves.
   *
   * @throws CommandFailure when the format needs what is not given, or a file cannot be read
   */
  Adapter following(AdapterFormat format, CommandContext context) {
    if (configs.isEmpty() || !format.isOrderFree()) {
      return format.open(settings(format, context));
    }
    AdapterSettings settings = withoutConfig(format, context.environment());
    ServedConfig served = served(context);
    return new AnnouncingAdapter(format.open(settings.withServed(served::now)), served::news);
  }

  private ServedConfig served(CommandContext context) {
    return ServedConfig.of(configs, context.clock(), deployment, node);
  }

  private AdapterSettings withoutConfig(AdapterFormat format, Map<String, String> environment) {
    if (format.isDeploymentNeeded() && deployment == null) {
      throw CommandFailure.usage(
          "--format "
              + format.label()
              + " needs --as-deployment NAME: its records name no deployment");
    }
    return new AdapterSettings(
        Optional.ofNullable(deployment),
        Optional.ofNullable(node),
        Optional.ofNullable(zone),
        promptHash(environment),
        Optional::empty);
  }

  /** The first option given that only a runtime's format can use; null when there is none. */
  @Nullable String given() {
    return deployment != null
        ? "--as-deployment"
        : node != null
            ? "--as-node"
            : zone != null ? "--time-zone" : configs.isEmpty() ? null : "--as-config";
  }

  private Optional<PromptHash> promptHash(Map<String, String> environment) {
    String variable = environment.get(KEY_VARIABLE);
    Path file =
        promptHashKeyFile != null
            ? promptHashKeyFile
            : variable == null || variable.isBlank() ? null : Path.of(variable);
    if (file == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(PromptHashKey.fromFile(file));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  /** A zone by its name; no short names, which mean several. */
  static final class ZoneConverter implements ITypeConverter<ZoneId> {

    @Override
    public ZoneId convert(String text) {
      try {
        return ZoneId.of(text);
      } catch (DateTimeException e) {
        throw new TypeConversionException(
            "'" + text + "' must be a time zone, for example UTC, Europe/Berlin or +02:00");
      }
    }
  }
}
