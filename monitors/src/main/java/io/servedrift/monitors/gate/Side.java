package io.servedrift.monitors.gate;

/** Which of the two endpoints. */
public enum Side {
  /** What serves today. */
  OLD,
  /** What shall serve. */
  NEW;

  /** {@code old} or {@code new}. */
  public String label() {
    return this == OLD ? "old" : "new";
  }
}
