package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a partition within the horizon: for de-duplication and late scores. Not
 * thread-safe.
 */
final class RequestMemory {
  private static final int MOST = 2_000_000;

  private final Map<String, Seen> seen = new HashMap<>();
  private final TreeMap<Long, List<String>> byExpiry = new TreeMap<>();

  /** A request that is remembered. */
  static final class Seen {
    final ServedRequest request;

    /** Clock of its partition when it came, before it moved it. */
    final long clock;

    /** Event time at which a repeat of it is no longer recognised. */
    final long until;

    /** Whether it was late itself: then nothing of it counts. */
    final boolean late;

    private final Set<String> scored = new HashSet<>(4);

    Seen(ServedRequest request, long clock, long horizonMicros, boolean late) {
      this.request = request;
      this.clock = clock;
      this.until = Math.max(request.finishedMicros(), clock) + horizonMicros;
      this.late = late;
      request.scores().forEach(score -> scored.add(score.name()));
    }

    /** Takes a score; false when one of this name came before. */
    boolean takeScore(String name) {
      return scored.add(name);
    }
  }

  @Nullable Seen find(String key) {
    return seen.get(key);
  }

  /** Remembers a request; returns how many were forgotten before their time to make room. */
  int remember(String key, Seen entry) {
    seen.put(key, entry);
    byExpiry.computeIfAbsent(second(entry.until), k -> new ArrayList<>()).add(key);
    int forgotten = 0;
    while (seen.size() > MOST) {
      for (String oldest : byExpiry.pollFirstEntry().getValue()) {
        if (seen.remove(oldest) != null) {
          forgotten++;
        }
      }
    }
    return forgotten;
  }

  /** Forgets what neither clock can refer to any more. */
  void expire(long passed) {
    for (List<String> keys : takeBefore(byExpiry, passed)) {
      for (String key : keys) {
        Seen entry = seen.get(key);
        if (entry != null && entry.until <= passed) {
          seen.remove(key);
        }
      }
    }
  }

  /** Removes and returns the keys that are due before an instant, by whole seconds. */
  static List<List<String>> takeBefore(NavigableMap<Long, List<String>> byExpiry, long micros) {
    if (micros == PartitionClock.NEVER) {
      return List.of();
    }
    SortedMap<Long, List<String>> due = byExpiry.headMap(second(micros));
    List<List<String>> taken = new ArrayList<>(due.values());
    due.clear();
    return taken;
  }

  static long second(long micros) {
    return Math.floorDiv(micros, 1_000_000L);
  }
}
