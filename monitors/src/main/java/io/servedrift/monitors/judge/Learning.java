package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.policy.BaselinePolicy;

/**
 * When the baseline of a series is fitted, and to which of its panes. A young baseline is used at
 * once, with all its uncertainty, and fitted again each time the series is half as long again,
 * until it is firm. Panes of a start, a gap, a maintenance window or a finding do not count. Not
 * thread-safe.
 */
final class Learning {
  private static final double GROWTH = 1.5;

  /** A fit that evidence stands against waits, until the series is so many times as long. */
  private static final double LONGEST_WAIT = 4;

  private static final long LONGEST_HOLD_OUT = Micros.HOUR;
  private static final int HOLD_OUT_PART = 4;
  private static final long RETRY = 5 * Micros.MINUTE;

  private long fromMicros;
  private long usableMicros;
  private long usableValues;
  private long dueMicros;
  private long fittedMicros;
  private boolean firm;

  /** Starts with panes from a time on. */
  Learning(long fromMicros) {
    this.fromMicros = fromMicros;
  }

  /** Panes before it are not learned from. */
  long fromMicros() {
    return fromMicros;
  }

  /** Whether nothing more is learned. */
  boolean firm() {
    return firm;
  }

  /** Whether a baseline was fitted at all. */
  boolean fitted() {
    return fittedMicros > 0;
  }

  /** Length of the usable panes so far. */
  long usableMicros() {
    return usableMicros;
  }

  /** Number of usable values so far. */
  long usableValues() {
    return usableValues;
  }

  /** Counts a usable pane. */
  void add(long paneMicros, long values) {
    usableMicros += paneMicros;
    usableValues += values;
  }

  /**
   * Whether to fit now.
   *
   * @param suspicious whether evidence stands against the present baseline
   */
  boolean due(BaselinePolicy policy, boolean suspicious) {
    if (firm
        || usableMicros < Math.max(dueMicros, Micros.of(policy.leastDuration()))
        || usableValues < policy.leastRequests()) {
      return false;
    }
    return !suspicious || usableMicros >= LONGEST_WAIT * fittedMicros;
  }

  /** How much of the newest traffic is left out of the fit and judged by it instead. */
  long holdOutMicros() {
    return fitted() ? Math.min(LONGEST_HOLD_OUT, usableMicros / HOLD_OUT_PART) : 0;
  }

  /** Says that a fit was made. */
  void fitted(BaselinePolicy policy) {
    fittedMicros = usableMicros;
    dueMicros =
        (long)
            Math.min(
                GROWTH * usableMicros,
                (double) Math.max(Micros.of(policy.fullDuration()), usableMicros + RETRY));
    firm = usableMicros >= Micros.of(policy.fullDuration());
  }

  /** Says that no fit was possible yet. */
  void failed() {
    dueMicros = usableMicros + RETRY;
  }

  void write(Content.Writer out) {
    out.whole(fromMicros);
    out.whole(usableMicros);
    out.whole(usableValues);
    out.whole(dueMicros);
    out.whole(fittedMicros);
    out.count(firm ? 1 : 0);
  }

  static Learning read(Content.Reader in) {
    Learning learning = new Learning(in.whole());
    learning.usableMicros = in.whole();
    learning.usableValues = in.whole();
    learning.dueMicros = in.whole();
    learning.fittedMicros = in.whole();
    learning.firm = in.count() == 1;
    return learning;
  }
}
