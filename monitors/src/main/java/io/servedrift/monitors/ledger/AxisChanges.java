package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigDiff;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The axes in which two configurations or models differ, for people. */
public final class AxisChanges {
  private static final int MOST = 20;

  private AxisChanges() {}

  /**
   * One text per axis that counts, {@code batching.max_batch_size: 1 -> 8}; null when one of the
   * two is not known.
   */
  public static @Nullable List<String> between(
      @Nullable Fingerprint from, @Nullable Fingerprint to) {
    return from == null || to == null ? null : texts(from, to, change -> true);
  }

  /** Axes that the first one states and the second one has otherwise or not at all. */
  public static List<String> against(Fingerprint wanted, Fingerprint actual) {
    return texts(wanted, actual, change -> change.left() != null);
  }

  /** Whether an axis that both state differs. */
  static boolean contradict(Fingerprint from, Fingerprint to) {
    return ConfigDiff.between(from, to).changes().stream()
        .anyMatch(c -> c.counts() && c.left() != null && c.right() != null);
  }

  /** The first of them, and how many more there are: for people. */
  public static List<String> shown(List<String> changes) {
    if (changes.size() <= MOST) {
      return changes;
    }
    List<String> shown = new ArrayList<>(changes.subList(0, MOST));
    shown.add("and " + (changes.size() - MOST) + " more");
    return List.copyOf(shown);
  }

  private static List<String> texts(
      Fingerprint from, Fingerprint to, Predicate<ConfigDiff.Change> wanted) {
    return ConfigDiff.between(from, to).changes().stream()
        .filter(ConfigDiff.Change::counts)
        .filter(wanted)
        .map(change -> change.text().strip())
        .toList();
  }
}
