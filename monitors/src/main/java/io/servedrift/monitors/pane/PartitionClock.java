package io.servedrift.monitors.pane;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Event time of one input partition, moved by its records only. Not thread-safe.
 *
 * <p>Once a tick was seen, ticks alone move it: a node whose clock runs some seconds ahead would
 * otherwise make every honest record late. Records wait for the first tick, and later for the next
 * one when they lie too far ahead of the last. When too many wait the rule is off until a tick
 * comes; only in a partition that never had a tick do records then move the clock themselves.
 */
final class PartitionClock {
  /** Before any record: the year 1684, so that neither differences nor nanoseconds overflow. */
  static final long NEVER = -9_000_000_000_000_000L;

  private final long futureLimitMicros;
  private final int maxHeld;
  private final Deque<Held> held = new ArrayDeque<>();
  private long now = NEVER;
  private long lastTick = NEVER;
  private boolean ruleOff;

  /** An arrival that waits for a tick, and the number of the chunk that it is logged in. */
  record Held(Arrival arrival, long chunk) {}

  /** What a clock remembers besides the held arrivals. */
  record Snapshot(long now, long lastTick, boolean ruleOff) {}

  PartitionClock(long futureLimitMicros, int maxHeld) {
    this.futureLimitMicros = futureLimitMicros;
    this.maxHeld = maxHeld;
  }

  long now() {
    return now;
  }

  /** Whether a record has to wait for the next tick. */
  boolean mustWait(long micros) {
    return !ruleOff && (lastTick == NEVER || micros - lastTick > futureLimitMicros);
  }

  /**
   * Keeps an arrival until the next tick. Returns false when too many wait: the ticks count as
   * interrupted.
   */
  boolean hold(Arrival arrival, long chunk) {
    held.add(new Held(arrival, chunk));
    if (held.size() > maxHeld) {
      ruleOff = true;
      return false;
    }
    return true;
  }

  /** Takes all held arrivals, in the order they came. */
  Deque<Held> release() {
    Deque<Held> released = new ArrayDeque<>(held);
    held.clear();
    return released;
  }

  int held() {
    return held.size();
  }

  /** The oldest chunk that a held arrival is logged in, {@code Long.MAX_VALUE} when none waits. */
  long oldestHeldChunk() {
    return held.isEmpty() ? Long.MAX_VALUE : held.peek().chunk();
  }

  /** A tick moves the clock; it never moves back. */
  void tick(long micros) {
    lastTick = Math.max(lastTick, micros);
    now = Math.max(now, micros);
    ruleOff = false;
  }

  /** A record moves the clock only where no tick ever did. */
  void observe(long micros) {
    if (lastTick == NEVER) {
      now = Math.max(now, micros);
    }
  }

  Snapshot snapshot() {
    return new Snapshot(now, lastTick, ruleOff);
  }

  void restore(Snapshot snapshot) {
    now = snapshot.now();
    lastTick = snapshot.lastTick();
    ruleOff = snapshot.ruleOff();
  }
}
