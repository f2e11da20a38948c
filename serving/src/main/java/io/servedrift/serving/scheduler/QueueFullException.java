package io.servedrift.serving.scheduler;

/** As many requests wait as may; it can be tried again soon. */
public final class QueueFullException extends RefusedException {

  private static final long serialVersionUID = 1L;

  QueueFullException() {
    super("the queue is full");
  }
}
