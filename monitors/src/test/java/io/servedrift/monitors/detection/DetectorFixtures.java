package io.servedrift.monitors.detection;

import io.servedrift.monitors.baseline.Baseline;
import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.PaneCutter;
import java.util.List;

/** Detectors that have seen something. */
final class DetectorFixtures {
  private DetectorFixtures() {}

  /** Judges from the end of a reference on what was held out of it. */
  static FamilyDetector after(Baseline baseline, List<CellPane> heldOut) {
    FamilyDetector detector = new FamilyDetector(baseline);
    PaneCutter cutter = new PaneCutter(baseline);
    for (CellPane pane : heldOut) {
      detector.next(cutter.cut(pane));
    }
    return detector;
  }
}
