package io.servedrift.monitors.gate.run;

/** Nothing answers at an address the gate needs. */
public sealed class UnreachableException extends Exception permits NothingUsableException {
  private static final long serialVersionUID = 1L;

  UnreachableException(String message) {
    super(message);
  }
}
