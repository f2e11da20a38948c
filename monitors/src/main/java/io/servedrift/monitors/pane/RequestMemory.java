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

    /** An earlier request of the same id, while late scores may still belong to it. */
    private @Nullable Seen previous;

    private final Set<String> scored = new HashSet<>(4);

    Seen(
        ServedRequest request,
        long clock,
        long horizonMicros,
        boolean late,
        @Nullable Seen previous) {
      this.request = request;
      this.clock = clock;
      this.until = Math.max(request.finishedMicros(), clock) + horizonMicros;
      this.late = late;
      this.previous = previous;
      request.scores().forEach(score -> scored.add(score.name()));
    }

    /** Takes a score; false when one of this name came before. */
    boolean takeScore(String name) {
      return scored.add(name);
    }
  }

  /** The last request of an id. */
  @Nullable Seen newest(String key) {
    return seen.get(key);
  }

  /**
   * The request that a score belongs to which came at this clock: the oldest that is still
   * remembered then, whichever topic was read first.
   */
  @Nullable Seen find(String key, long scoresClock) {
    Seen found = null;
    for (Seen entry = seen.get(key); entry != null; entry = entry.previous) {
      if (scoresClock < entry.until) {
        found = entry;
      }
    }
    return found;
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
        } else if (entry != null && entry.previous != null && entry.previous.until <= passed) {
          entry.previous = null;
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
