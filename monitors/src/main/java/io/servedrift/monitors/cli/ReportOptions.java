package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.report.OutputLinks;
import io.servedrift.monitors.report.RunRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a command that can write a report. */
final class ReportOptions {
  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "Write report.html, one page that needs no network, and report.json to this folder.")
  private @Nullable Path folder;

  @Option(
      names = "--output-url",
      paramLabel = "PATTERN",
      description =
          "Where the report finds outputs to look at, for example"
              + " https://store.example/outputs/{request_id}.png")
  private @Nullable String outputUrl;

  /** Where the report goes, null when none is asked for. */
  @Nullable Path folder() {
    return folder;
  }

  /**
   * Refuses what cannot be, before anything is read; makes the folder of the report.
   *
   * @throws CommandFailure when the pattern is none or leads nowhere, or the folder cannot be
   *     written
   */
  void check() {
    if (outputUrl != null && folder == null) {
      throw CommandFailure.usage("--output-url belongs to --report");
    }
    links();
    if (folder != null) {
      make(folder);
    }
  }

  private static void make(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.USAGE, "--report " + folder + ": is no folder and cannot be made one", e);
    }
    if (!Files.isWritable(folder)) {
      throw CommandFailure.usage("--report " + folder + ": cannot be written to");
    }
  }

  /**
   * The report that is asked for, null when none is.
   *
   * @param deployments which ones it is about
   */
  @Nullable ReplayReport report(Settings settings, Predicate<String> deployments) {
    return folder == null
        ? null
        : new ReplayReport(
            folder, links(), new RunRecorder(PaneOptions.layouts(settings), deployments));
  }

  private OutputLinks links() {
    try {
      return outputUrl == null ? OutputLinks.NONE : OutputLinks.of(outputUrl);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCode.USAGE, "--output-url " + e.getMessage(), e);
    }
  }
}
