package io.servedrift.monitors.cli;

import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** How much is said beside the result; the same options on every command. */
final class OutputOptions {

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Log more, and show where an error came from.")
  private boolean verbose;

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "No progress, and only errors in the log.")
  private boolean quiet;

  boolean verbose() {
    return verbose;
  }

  boolean quiet() {
    return quiet;
  }
}
