package io.servedrift.monitors.testkit;

/** How a cause works, as the contract has it. */
public enum Mechanism {
  /** Requests in the cell got worse. */
  EFFECT,
  /** More requests fall into a cell that was bad before. */
  EXPOSURE
}
