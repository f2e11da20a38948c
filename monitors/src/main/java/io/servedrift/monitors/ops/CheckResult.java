package io.servedrift.monitors.ops;

/**
 * State of one component.
 *
 * @param ready whether it can do its work now
 * @param detail one line for a human, no secret
 */
public record CheckResult(boolean ready, String detail) {
  /** The component works. */
  public static CheckResult ready(String detail) {
    return new CheckResult(true, detail);
  }

  /** The component does not work (yet). */
  public static CheckResult notReady(String detail) {
    return new CheckResult(false, detail);
  }
}
