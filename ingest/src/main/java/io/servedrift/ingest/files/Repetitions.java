package io.servedrift.ingest.files;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts rows that occur again, in bounded memory: equal rows have equal event times, so in sorted
 * order only the rows of one instant must be remembered. Not thread-safe.
 */
final class Repetitions {
  private final Map<Long, Set<Long>> idsByContent = new HashMap<>();
  private long time = Long.MIN_VALUE;
  private long lookalikes;
  private long repeats;

  /** Takes the next entry in order of time. */
  void next(SortEntry entry) {
    if (!entry.comparable()) {
      return;
    }
    if (entry.timeMicros() != time) {
      idsByContent.clear();
      time = entry.timeMicros();
    }
    Set<Long> ids = idsByContent.computeIfAbsent(entry.contentHash(), h -> new HashSet<>());
    boolean newId = ids.add(entry.idHash());
    if (!newId) {
      repeats++;
    } else if (ids.size() > 1) {
      lookalikes++;
    }
  }

  long lookalikes() {
    return lookalikes;
  }

  long repeats() {
    return repeats;
  }
}
