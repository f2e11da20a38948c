package io.servedrift.monitors.gate;

/** How a request of the gate ended. */
public enum AnswerStatus {
  OK,
  ERROR,
  TIMEOUT,
  /** Given up by the gate itself; counts neither as answer nor as error. */
  CANCELLED
}
