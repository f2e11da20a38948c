package io.servedrift.serving.scheduler;

import java.util.concurrent.TimeoutException;

/** A request passed its deadline and was given up. */
public final class DeadlineException extends TimeoutException {

  private static final long serialVersionUID = 1L;

  DeadlineException() {
    super("the request passed its deadline");
  }
}
