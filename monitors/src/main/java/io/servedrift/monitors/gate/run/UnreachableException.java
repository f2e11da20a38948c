package io.servedrift.monitors.gate.run;

/** Nothing answers at an address the gate needs. */
public final class UnreachableException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreachableException(String message) {
    super(message);
  }
}
