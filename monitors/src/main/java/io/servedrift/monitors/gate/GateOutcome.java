package io.servedrift.monitors.gate;

import java.util.Locale;

/** What the gate says as a whole. */
public enum GateOutcome {
  PASS(0),
  FAIL(10),
  INSUFFICIENT(11);

  private final int exitCode;

  GateOutcome(int exitCode) {
    this.exitCode = exitCode;
  }

  /** Exit code of the command. */
  public int exitCode() {
    return exitCode;
  }

  /** The name in lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
