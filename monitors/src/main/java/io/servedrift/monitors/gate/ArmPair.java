package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.List;

/**
 * Two arms whose outputs are compared prompt by prompt.
 *
 * @param left what is compared with, e.g. the old side
 * @param right what is compared
 */
public record ArmPair(Arm left, Arm right) {

  /** Every pair the judge reads; distances of others are not looked at. */
  public static List<ArmPair> judged() {
    List<ArmPair> pairs = new ArrayList<>();
    for (Side side : Side.values()) {
      pairs.add(within(side, Regime.SINGLE, Regime.SINGLE_AGAIN));
      pairs.add(within(side, Regime.PRODUCTION, Regime.PRODUCTION_AGAIN));
      pairs.add(within(side, Regime.SINGLE, Regime.PRODUCTION));
      pairs.add(within(side, Regime.RECOMPUTE, Regime.REUSE));
      pairs.add(within(side, Regime.RECOMPUTE, Regime.RECOMPUTE_AGAIN));
    }
    pairs.add(across(Regime.SINGLE));
    pairs.add(across(Regime.PRODUCTION));
    return List.copyOf(pairs);
  }

  /** Two regimes of one side. */
  public static ArmPair within(Side side, Regime left, Regime right) {
    return new ArmPair(new Arm(side, left), new Arm(side, right));
  }

  /** Old against new in one regime. */
  public static ArmPair across(Regime regime) {
    return new ArmPair(Arm.old(regime), Arm.fresh(regime));
  }

  /** E.g. {@code new/single against old/single}. */
  public String label() {
    return right.label() + " against " + left.label();
  }
}
