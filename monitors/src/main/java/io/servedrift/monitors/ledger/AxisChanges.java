package io.servedrift.monitors.ledger;

import io.servedrift.schemas.ConfigDiff;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.List;
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
    if (from == null || to == null) {
      return null;
    }
    List<String> changes =
        ConfigDiff.between(from, to).changes().stream()
            .filter(ConfigDiff.Change::counts)
            .map(change -> change.text().strip())
            .toList();
    if (changes.size() <= MOST) {
      return changes;
    }
    List<String> shown = new java.util.ArrayList<>(changes.subList(0, MOST));
    shown.add("and " + (changes.size() - MOST) + " more");
    return List.copyOf(shown);
  }
}
