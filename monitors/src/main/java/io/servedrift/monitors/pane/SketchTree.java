package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Many sketches in little memory: each {@value #FAN} of a level become one of the next. The tree
 * depends on the number and order of what was added alone, so the same sequence gives the same
 * sketch. Not thread-safe.
 */
final class SketchTree {
  static final int FAN = 16;

  private final List<List<TailSketch>> levels = new ArrayList<>();

  /** Adds the next sketch. */
  void add(TailSketch sketch) {
    @Nullable TailSketch carried = sketch;
    for (int level = 0; carried != null; level++) {
      if (level == levels.size()) {
        levels.add(new ArrayList<>(FAN));
      }
      List<TailSketch> held = levels.get(level);
      held.add(carried);
      carried = null;
      if (held.size() == FAN) {
        carried = TailSketch.merge(held);
        held.clear();
      }
    }
  }

  /** All that was added, together. */
  TailSketch merged() {
    return TailSketch.merge(levels.stream().flatMap(List::stream).toList());
  }

  /** Sketches held: at most {@code FAN - 1} of each level. */
  int size() {
    return levels.stream().mapToInt(List::size).sum();
  }
}
