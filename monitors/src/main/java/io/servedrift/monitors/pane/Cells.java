package io.servedrift.monitors.pane;

import java.util.Comparator;
import java.util.List;

/** Keys of cells: sorted {@code covariate=bucket} lists. */
final class Cells {
  /** The joint cells beyond the budget, together. */
  static final List<String> REST = List.of("cell=" + Covariate.OTHER);

  static final Comparator<List<String>> ORDER =
      (left, right) -> {
        int shorter = Math.min(left.size(), right.size());
        for (int i = 0; i < shorter; i++) {
          int compared = left.get(i).compareTo(right.get(i));
          if (compared != 0) {
            return compared;
          }
        }
        return Integer.compare(left.size(), right.size());
      };

  private Cells() {}

  /** Whether a key is a joint cell (the rest included) and not a margin. */
  static boolean isJoint(List<String> key) {
    return key.size() > 1 || key.equals(REST);
  }
}
