package io.servedrift.serving.scheduler;

/** The node shuts down, or cannot go on; another one may take the request. */
public final class ShuttingDownException extends RefusedException {

  private static final long serialVersionUID = 1L;

  ShuttingDownException() {
    super("the node is shutting down");
  }
}
