package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.ArmTail;
import io.servedrift.monitors.stats.Interval;

/** The tail of an arm in words. Pure functions. */
final class TailText {
  private TailText() {}

  /** The p99 with its interval, or that n does not bear one. */
  static String p99(ArmTail tail) {
    Interval interval = tail.p99Interval();
    if (tail.p99() == null || interval == null) {
      return "insufficient";
    }
    return GateText.number(tail.p99(), "s")
        + " ["
        + GateText.number(interval.lower(), "s")
        + ", "
        + GateText.number(interval.upper(), "s")
        + "]";
  }
}
