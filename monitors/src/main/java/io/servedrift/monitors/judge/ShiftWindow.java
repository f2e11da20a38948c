package io.servedrift.monitors.judge;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.PaneCutter;
import io.servedrift.monitors.detection.Shift;
import java.util.List;

/**
 * The panes since the onset of a shift. Immutable.
 *
 * @param panes as they came
 * @param counts the same, cut by a baseline
 */
record ShiftWindow(List<CellPane> panes, List<PaneCounts> counts) {
  /** What lies further behind the onset adds nothing to the question why. */
  private static final long LONGEST = Micros.DAY;

  /** Up to the end of a pane. */
  static ShiftWindow of(SeriesContext series, PaneCutter cutter, Shift shift, CellPane last) {
    long end = last.startMicros() + series.paneMicros();
    long from = Math.max(shift.onsetMicros(), end - LONGEST);
    List<CellPane> panes = series.panes(from, end);
    return new ShiftWindow(panes, panes.stream().map(cutter::cut).toList());
  }
}
