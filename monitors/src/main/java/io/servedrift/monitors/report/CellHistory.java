package io.servedrift.monitors.report;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The past of one series by cell, finer the newer: single panes for the last hour of them, then
 * tens, then sixties, up to a week of one-minute panes. What is older is forgotten, so memory does
 * not grow with the run. Not thread-safe.
 */
final class CellHistory {
  /** How many slots each level keeps, and how many of the level before make one of it. */
  private static final int[] KEPT = {60, 72, 168};

  private static final int[] PANES = {1, 10, 60};

  private final List<Deque<CellSlot>> levels = new ArrayList<>();

  CellHistory() {
    for (int level = 0; level < KEPT.length; level++) {
      levels.add(new ArrayDeque<>());
    }
  }

  /** Adds the next pane. */
  void add(CellSlot pane) {
    put(0, pane, pane.toMicros() - pane.fromMicros());
  }

  /** End of the last pane, microseconds; {@code Long.MIN_VALUE} before the first. */
  long lastMicros() {
    CellSlot last = levels.get(0).peekLast();
    return last == null ? Long.MIN_VALUE : last.toMicros();
  }

  private void put(int level, CellSlot slot, long paneMicros) {
    Deque<CellSlot> slots = levels.get(level);
    long length = paneMicros * PANES[level];
    CellSlot last = slots.peekLast();
    if (last != null
        && Math.floorDiv(last.fromMicros(), length) == Math.floorDiv(slot.fromMicros(), length)) {
      slots.removeLast();
      slots.addLast(CellSlot.merge(List.of(last, slot)));
    } else {
      slots.addLast(slot);
    }
    if (slots.size() > KEPT[level]) {
      CellSlot oldest = slots.removeFirst();
      if (level + 1 < KEPT.length) {
        put(level + 1, oldest, paneMicros);
      }
    }
  }

  /**
   * What is known of a range: all slots that lie in it whole. Empty when there is none.
   *
   * @param fromMicros inclusive
   * @param toMicros exclusive
   */
  Optional<CellSlot> range(long fromMicros, long toMicros) {
    List<CellSlot> inside = new ArrayList<>();
    for (int level = KEPT.length - 1; level >= 0; level--) {
      for (CellSlot slot : levels.get(level)) {
        if (slot.fromMicros() >= fromMicros && slot.toMicros() <= toMicros) {
          inside.add(slot);
        }
      }
    }
    return inside.isEmpty() ? Optional.empty() : Optional.of(CellSlot.merge(inside));
  }
}
