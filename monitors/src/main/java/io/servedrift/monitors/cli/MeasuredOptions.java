package io.servedrift.monitors.cli;

import io.servedrift.monitors.ledger.AxisChanges;
import io.servedrift.monitors.ledger.Provenance.AskedSystem;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What was measured, by whom and how; the same options for every kind of score. */
final class MeasuredOptions {
  @Option(
      names = "--model-config",
      paramLabel = "FILE",
      description =
          "Configuration, model or both as JSON or YAML (eval checklist prints a form); may be"
              + " repeated.")
  private final List<Path> modelConfigs = new ArrayList<>();

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "Ask this endpoint what it runs (GET URL/server_info); with a command after -- before"
              + " and after it.")
  private @Nullable String endpoint;

  @Mixin private final EndpointAccess access = new EndpointAccess();

  @Option(
      names = "--intended",
      paramLabel = "FILE",
      description = "The configuration that was asked for; says which axes resolved otherwise.")
  private @Nullable Path intended;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description =
          "The deployment that was measured: its live scores can be compared with this one."
              + " Default: what the endpoint says.")
  private @Nullable String deployment;

  @Option(
      names = "--harness",
      paramLabel = "NAME",
      description = "The program that measured; default: what its results say.")
  private @Nullable String harness;

  @Option(names = "--harness-version", paramLabel = "TEXT", description = "Its version.")
  private @Nullable String harnessVersion;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "Start of the measurement, ISO-8601 with zone.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = FileInput.TimeConverter.class,
      description = "End of the measurement.")
  private @Nullable Instant to;

  @Option(
      names = "--concurrency",
      paramLabel = "NUMBER",
      description = "Mean number of requests in flight; a latency means nothing without it.")
  private @Nullable Double concurrency;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who records; default: the user of this process.")
  private String by = System.getProperty("user.name", "unknown");

  @Nullable String deployment() {
    return deployment;
  }

  @Nullable String harness() {
    return harness;
  }

  @Nullable String harnessVersion() {
    return harnessVersion;
  }

  @Nullable Instant from() {
    return from;
  }

  @Nullable Instant to() {
    return to;
  }

  @Nullable Double concurrency() {
    return concurrency;
  }

  String by() {
    return by;
  }

  /** How the endpoint is asked. */
  EndpointAccess access() {
    return access;
  }

  /** The endpoint in its kept form, null when none is asked. */
  @Nullable String address() {
    return endpoint == null ? null : EndpointAccess.address(endpoint);
  }

  /**
   * What is wrong with the options together.
   *
   * @param runs whether a command will be run
   */
  List<String> problems(boolean runs) {
    List<String> problems = new ArrayList<>();
    if (runs && (from != null || to != null)) {
      problems.add("--from, --to: a command that is run says itself when it measured");
    }
    if (intended != null && endpoint == null) {
      problems.add("--intended: needs --endpoint URL");
    }
    if (from != null && to != null && from.isAfter(to)) {
      problems.add("--from " + from + ": must not be after --to " + to);
    }
    return problems;
  }

  /** Configuration and model of the files that are given, together. */
  ConfigDocument documents(CommandContext context) throws IOException {
    Fingerprint config = null;
    Fingerprint model = null;
    for (Path file : modelConfigs) {
      ConfigDocument document = ConfigDocument.read(file, context.terminal().in());
      if ((config != null && document.config() != null)
          || (model != null && document.model() != null)) {
        throw CommandFailure.usage(file + ": a second configuration or model");
      }
      config = document.config() == null ? config : document.config();
      model = document.model() == null ? model : document.model();
    }
    return new ConfigDocument(config, model);
  }

  /** The configuration that was asked for; null when it was not said. */
  @Nullable Fingerprint intended(CommandContext context) throws IOException {
    if (intended == null) {
      return null;
    }
    Fingerprint wanted = ConfigDocument.read(intended, context.terminal().in()).config();
    if (wanted == null) {
      throw CommandFailure.usage(intended + ": holds no configuration");
    }
    return wanted;
  }

  /** What the endpoint said, beside what was asked for. */
  static AskedSystem asked(String address, MeasuredRun run, @Nullable Fingerprint wanted) {
    List<String> changes =
        wanted == null ? List.of() : AxisChanges.against(wanted, run.before().config());
    return new AskedSystem(address, run.after() != null, wanted, changes);
  }
}
