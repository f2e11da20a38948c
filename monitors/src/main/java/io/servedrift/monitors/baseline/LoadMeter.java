package io.servedrift.monitors.baseline;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Load of a series: mean arrivals per minute over the 15 minutes that end with a pane. A minute
 * without a pane has no arrivals. Looks only back, so that it can be used as a covariate of what
 * comes next. Not thread-safe.
 */
public final class LoadMeter {
  private static final long WINDOW_MICROS = 15 * 60_000_000L;
  private static final double MICROS_PER_MINUTE = 60_000_000;

  private final long paneMicros;
  private final int windowPanes;
  private final Deque<Arrivals> recent = new ArrayDeque<>();
  private boolean started;
  private long firstMicros;
  private double inWindow;

  private record Arrivals(long startMicros, double count) {}

  /**
   * Starts without history.
   *
   * @param paneMicros length of a pane
   */
  public LoadMeter(long paneMicros) {
    if (paneMicros < 1) {
      throw new IllegalArgumentException("paneMicros=" + paneMicros + ": must be at least 1");
    }
    this.paneMicros = paneMicros;
    windowPanes = (int) Math.max(1, WINDOW_MICROS / paneMicros);
  }

  /**
   * Takes the next pane.
   *
   * @param startMicros its start, later than that of the pane before
   * @param arrivals requests that arrived in it
   * @return arrivals per minute
   */
  public double observe(long startMicros, double arrivals) {
    if (!started) {
      started = true;
      firstMicros = startMicros;
    }
    if (!recent.isEmpty() && startMicros <= recent.getLast().startMicros()) {
      throw new IllegalArgumentException(
          "pane "
              + startMicros
              + ": must start after the pane before, "
              + recent.getLast().startMicros());
    }
    recent.addLast(new Arrivals(startMicros, arrivals));
    inWindow += arrivals;
    while (recent.getFirst().startMicros() <= startMicros - windowPanes * paneMicros) {
      inWindow -= recent.removeFirst().count();
    }
    long seen = (startMicros - firstMicros) / paneMicros + 1;
    double minutes = Math.min(windowPanes, seen) * (paneMicros / MICROS_PER_MINUTE);
    return inWindow / minutes;
  }
}
