package io.servedrift.monitors.cli;

/** What the process says to its caller; the numbers are public and never change. */
public enum ExitCode {
  DONE(0, "done, or every check passed"),
  INTERNAL_ERROR(1, "internal error"),
  USAGE(2, "the command line or a setting is wrong"),
  CHECK_FAILED(10, "a check failed or differences were found"),
  INSUFFICIENT(11, "insufficient evidence"),
  UNREACHABLE(12, "infrastructure unreachable"),
  INTERRUPTED(130, "interrupted");

  private final int code;
  private final String meaning;

  ExitCode(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** The number the process exits with. */
  public int code() {
    return code;
  }

  /** The meaning in a few words, for help and documentation. */
  public String meaning() {
    return meaning;
  }
}
