package io.servedrift.monitors.cli;

import org.jspecify.annotations.Nullable;

/** A command ends early for a reason the user can understand from one message. */
final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ExitCode exitCode;

  CommandFailure(ExitCode exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message, null);
  }

  ExitCode exitCode() {
    return exitCode;
  }

  /** For what was asked and is not there. */
  static CommandFailure insufficient(String message) {
    return new CommandFailure(ExitCode.INSUFFICIENT, message, null);
  }
}
