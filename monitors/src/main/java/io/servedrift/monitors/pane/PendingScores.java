package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Scores that were read before their request. Bounded; not thread-safe. */
final class PendingScores {
  private static final int MOST = 200_000;

  private final Map<String, List<Pending>> byRequest = new HashMap<>();
  private final TreeMap<Long, List<String>> byExpiry = new TreeMap<>();
  private int size;

  /**
   * A score that waits.
   *
   * @param clock clock of its topic when it came
   * @param chunk chunk of the arrival log that holds it
   * @param until clock of the requests topic up to which its request may come
   */
  record Pending(Arrival.Score arrival, long clock, long chunk, long until) {}

  int size() {
    return size;
  }

  /** Adds a score; false when too many wait. */
  boolean add(String key, Pending score) {
    if (size >= MOST) {
      return false;
    }
    byRequest.computeIfAbsent(key, k -> new ArrayList<>(2)).add(score);
    byExpiry.computeIfAbsent(RequestMemory.second(score.until()), k -> new ArrayList<>()).add(key);
    size++;
    return true;
  }

  /** Removes and returns the scores of a request in the order they came. */
  List<Pending> take(String key) {
    List<Pending> waiting = byRequest.remove(key);
    if (waiting == null) {
      return List.of();
    }
    size -= waiting.size();
    return waiting;
  }

  /** Gives up scores whose request can no longer come; returns how many. */
  int expire(long requestsClock) {
    int before = size;
    for (List<String> keys : RequestMemory.takeBefore(byExpiry, requestsClock)) {
      for (String key : keys) {
        List<Pending> waiting = byRequest.get(key);
        if (waiting != null) {
          int count = waiting.size();
          waiting.removeIf(score -> score.until() < requestsClock);
          size -= count - waiting.size();
          if (waiting.isEmpty()) {
            byRequest.remove(key);
          }
        }
      }
    }
    return before - size;
  }
}
