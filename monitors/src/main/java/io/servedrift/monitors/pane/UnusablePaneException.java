package io.servedrift.monitors.pane;

/**
 * A record of the panes topic that stage 2 cannot use: a dead letter. Its own type, so that nothing
 * that goes wrong further on is taken for a fault of the record.
 */
public final class UnusablePaneException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  UnusablePaneException(String message) {
    super(message);
  }

  UnusablePaneException(String message, Throwable cause) {
    super(message, cause);
  }
}
