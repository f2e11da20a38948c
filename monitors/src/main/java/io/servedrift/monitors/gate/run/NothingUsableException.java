package io.servedrift.monitors.gate.run;

/** Something answers at both addresses, but no first request got an answer that can be used. */
public final class NothingUsableException extends UnreachableException {
  private static final long serialVersionUID = 1L;

  NothingUsableException(String message) {
    super(message);
  }
}
