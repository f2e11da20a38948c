package io.servedrift.serving.cli;

/** The node cannot start for a reason that its user can mend: the message says which. */
final class StartException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
