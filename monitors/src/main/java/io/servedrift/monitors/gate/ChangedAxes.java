package io.servedrift.monitors.gate;

import java.util.List;

/**
 * What differs between the two sides.
 *
 * @param weights whether the weights are the same, differ, or are not known
 * @param axes first members of the configuration paths that differ, e.g. {@code precision}
 * @param changes one line per leaf that differs
 * @param plan steps that change one axis each, when several changed; else empty
 */
public record ChangedAxes(
    Weights weights, List<String> axes, List<String> changes, List<String> plan) {
  public ChangedAxes {
    axes = List.copyOf(axes);
    changes = List.copyOf(changes);
    plan = List.copyOf(plan);
  }

  /** What is known of the weights of both sides. */
  public enum Weights {
    EQUAL,
    DIFFERENT,
    UNKNOWN
  }
}
