package io.servedrift.serving.scheduler;

/** A request was not taken; nothing of it began. */
public final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Why it was refused. */
  public enum Reason {
    /** As many wait as may; it can be tried again soon. */
    QUEUE_FULL,
    /** The node shuts down; another one may take it. */
    SHUTTING_DOWN
  }

  private final Reason reason;

  RefusedException(Reason reason) {
    super(reason == Reason.QUEUE_FULL ? "the queue is full" : "the node is shutting down");
    this.reason = reason;
  }

  /** Why it was refused. */
  public Reason reason() {
    return reason;
  }
}
