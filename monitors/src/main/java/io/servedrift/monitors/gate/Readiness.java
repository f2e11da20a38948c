package io.servedrift.monitors.gate;

import java.util.List;

/** Whether what watches afterwards is in place. It decides no check. */
public record Readiness(List<Item> items) {
  public Readiness {
    items = List.copyOf(items);
  }

  /** Nothing was looked at. */
  public static Readiness notLookedAt() {
    return new Readiness(List.of());
  }

  /** How one item stands. */
  public enum State {
    READY,
    MISSING,
    NOT_LOOKED_AT
  }

  /**
   * One thing that must be in place.
   *
   * @param name e.g. {@code scores arrive for the new configuration}
   * @param detail what was seen
   */
  public record Item(String name, State state, String detail) {}
}
