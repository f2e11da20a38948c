package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.BaselineGrowth;
import io.servedrift.monitors.baseline.BaselineGrowth.Step;
import io.servedrift.monitors.baseline.Content;
import java.util.Optional;

/**
 * How far the baseline of a series has come. Panes of a start, a gap, a maintenance window or a
 * finding do not count. Not thread-safe.
 */
final class Learning {
  /** After a fit that was not possible, the next one is tried when there is so much more. */
  private static final long RETRY = 5 * Micros.MINUTE;

  private final long fromMicros;
  private long usableMicros;
  private long usableValues;
  private long fittedMicros;
  private long retryMicros;
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

  /** Counts a usable pane. */
  void add(long paneMicros, long values) {
    usableMicros += paneMicros;
    usableValues += values;
  }

  /**
   * The fit that is due now.
   *
   * @param suspicious whether evidence stands against the present baseline
   */
  Optional<Step> due(BaselineGrowth growth, boolean suspicious) {
    return firm || usableMicros < retryMicros
        ? Optional.empty()
        : growth.due(usableMicros, usableValues, fittedMicros, suspicious);
  }

  /** Says that a fit was made. */
  void fitted(Step step) {
    fittedMicros = usableMicros;
    firm = step.last();
  }

  /** Says that there were too few panes for a fit. */
  void failed() {
    retryMicros = usableMicros + RETRY;
  }

  void write(Content.Writer out) {
    out.whole(fromMicros);
    out.whole(usableMicros);
    out.whole(usableValues);
    out.whole(fittedMicros);
    out.whole(retryMicros);
    out.count(firm ? 1 : 0);
  }

  static Learning read(Content.Reader in) {
    Learning learning = new Learning(in.whole());
    learning.usableMicros = in.whole();
    learning.usableValues = in.whole();
    learning.fittedMicros = in.whole();
    learning.retryMicros = in.whole();
    learning.firm = in.count() == 1;
    return learning;
  }
}
