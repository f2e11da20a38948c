package io.servedrift.serving.scheduler;

/** Requests were not taken; nothing of them began. The class says why, also in their events. */
public abstract sealed class RefusedException extends Exception
    permits QueueFullException, ShuttingDownException {

  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
