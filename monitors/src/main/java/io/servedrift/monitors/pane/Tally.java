package io.servedrift.monitors.pane;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Named counters of what happened to records. Thread-safe.
 *
 * <p>The conservation law of stage 1, for any partition at any moment after the same record:
 *
 * <pre>
 * requests_read + requests_taken_over = requests_accepted + duplicates + late_requests + synthetic + requests_rejected
 *                                       + requests_waiting + requests_handed_over
 * scores_read + scores_taken_over     = scores_joined + scores_repeated + scores_unused + late_scores + scores_rejected
 *                                       + scores_unmatched + scores_pending + scores_waiting + scores_handed_over
 * </pre>
 *
 * <p>{@code *_taken_over} waited when this process took the partition (after a restart, too),
 * {@code *_handed_over} when it gave the partition up.
 *
 * <p>{@code scores_unused} belong to requests that did not end well or are synthetic. {@code
 * *_waiting} and {@code scores_pending} are levels, not totals. Alert when {@code requests_accepted
 * + duplicates} stays below what the nodes say they published. Counters start at zero with the
 * process: after a restart they count what was read since.
 */
public final class Tally {
  private final ConcurrentHashMap<String, LongAdder> counters = new ConcurrentHashMap<>();

  /** Adds one to a counter. */
  public void count(String name) {
    add(name, 1);
  }

  /** Adds to a counter, or to a level when {@code amount} is negative. */
  public void add(String name, long amount) {
    counters.computeIfAbsent(name, key -> new LongAdder()).add(amount);
  }

  /** The value of a counter, 0 when nothing was counted under this name. */
  public long get(String name) {
    LongAdder adder = counters.get(name);
    return adder == null ? 0 : adder.sum();
  }

  /** All counters by name, sorted. A copy. */
  public Map<String, Long> snapshot() {
    Map<String, Long> copy = new TreeMap<>();
    counters.forEach((name, adder) -> copy.put(name, adder.sum()));
    return copy;
  }
}
