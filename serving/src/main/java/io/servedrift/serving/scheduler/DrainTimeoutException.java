package io.servedrift.serving.scheduler;

/** The scheduler was shut down and the request did not end within the time that it had left. */
public final class DrainTimeoutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DrainTimeoutException() {
    super("the node stopped before the image was ready");
  }
}
