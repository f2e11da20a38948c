package io.servedrift.schemas;

import org.jspecify.annotations.Nullable;

/** Bytes that are not a known event. The message never holds content of the payload. */
public final class MalformedEventException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RejectReason reason;

  MalformedEventException(RejectReason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Which of the reasons applies. */
  public RejectReason reason() {
    return reason;
  }
}
