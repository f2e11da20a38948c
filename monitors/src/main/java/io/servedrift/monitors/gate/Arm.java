package io.servedrift.monitors.gate;

import java.util.Comparator;

/** One condition: a side, driven in one way. Arms are ordered by side, then regime. */
public record Arm(Side side, Regime regime) implements Comparable<Arm> {
  private static final Comparator<Arm> ORDER =
      Comparator.comparing(Arm::side).thenComparing(Arm::regime);

  /** An arm of the old side. */
  public static Arm old(Regime regime) {
    return new Arm(Side.OLD, regime);
  }

  /** An arm of the new side. */
  public static Arm fresh(Regime regime) {
    return new Arm(Side.NEW, regime);
  }

  /** E.g. {@code old/single}. */
  public String label() {
    return side.label() + "/" + regime.label();
  }

  @Override
  public int compareTo(Arm other) {
    return ORDER.compare(this, other);
  }
}
