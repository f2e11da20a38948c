package io.servedrift.monitors.testkit;

/** A detector that sees value after value. Implementations are not thread-safe. */
interface StreamDetector {
  /** Takes the next value; true when it says that the stream has changed. */
  boolean update(double value);
}
