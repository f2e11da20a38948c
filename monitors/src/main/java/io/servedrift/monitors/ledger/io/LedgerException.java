package io.servedrift.monitors.ledger.io;

/** What was given cannot be used; the message is for the user. */
public final class LedgerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LedgerException(String message) {
    super(message);
  }

  LedgerException(String message, Throwable cause) {
    super(message, cause);
  }
}
