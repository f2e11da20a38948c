package io.servedrift.ingest.publish;

import org.jspecify.annotations.Nullable;

/** The failure of a {@link EventSink#publish published} event: it was dropped, and why. */
public final class EventDroppedException extends RuntimeException {

  private final DropReason reason;
  private final String detail;

  public EventDroppedException(DropReason reason, String detail, @Nullable Throwable cause) {
    super(reason.code() + ": " + detail, cause);
    this.reason = reason;
    this.detail = detail;
  }

  /** Why the event was dropped. */
  public DropReason reason() {
    return reason;
  }

  /** What happened, without the reason's word. */
  String detail() {
    return detail;
  }
}
