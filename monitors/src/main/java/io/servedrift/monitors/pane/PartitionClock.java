package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Event time of one input partition, moved by its records only, and the room where records wait
 * that lie too far ahead of it. Not thread-safe.
 *
 * <p>Ticks move the clock: a node whose clock runs some seconds ahead would otherwise make every
 * honest record late. Records wait for the first tick, and later for the next one when they lie too
 * far ahead of the last. When the room is full the ticks count as interrupted: then the earliest of
 * the waiting leaves, and moves the clock to its own time. So a backlog of hours streams through a
 * bounded room, in order, and a record from the year 2057 just stays in it until a tick says that
 * it is wrong.
 */
final class PartitionClock {
  /** Before any record: the year 1684, so that neither differences nor nanoseconds overflow. */
  static final long NEVER = -9_000_000_000_000_000L;

  private static final Comparator<Held> EARLIEST =
      Comparator.<Held>comparingLong(held -> held.micros).thenComparingLong(held -> held.number);

  private final long futureLimitMicros;
  private final int maxHeld;
  private final TreeSet<Held> room = new TreeSet<>(EARLIEST);
  private long now = NEVER;
  private long lastTick = NEVER;
  private long nextNumber;

  /** An arrival that waits. */
  static final class Held {
    final long micros;
    final long number;
    final @Nullable Arrival arrival;
    final long chunk;

    private Held(long micros, long number, @Nullable Arrival arrival, long chunk) {
      this.micros = micros;
      this.number = number;
      this.arrival = arrival;
      this.chunk = chunk;
    }
  }

  /** What a clock remembers besides the held arrivals. */
  record Snapshot(long now, long lastTick, long nextNumber) {}

  PartitionClock(long futureLimitMicros, int maxHeld) {
    this.futureLimitMicros = futureLimitMicros;
    this.maxHeld = maxHeld;
  }

  long now() {
    return now;
  }

  /** Whether a record has to wait for the next tick. */
  boolean mustWait(long micros) {
    return lastTick == NEVER || micros - lastTick > futureLimitMicros;
  }

  /** Number of the next arrival to wait, counted per partition and topic. */
  long nextNumber() {
    return nextNumber;
  }

  /**
   * Lets an arrival wait.
   *
   * @param chunk chunk of the arrival log that holds it
   */
  void hold(long number, Arrival arrival, long chunk) {
    room.add(new Held(arrival.micros(), number, arrival, chunk));
    nextNumber = Math.max(nextNumber, number + 1);
  }

  boolean isFull() {
    return room.size() > maxHeld;
  }

  /** Lets the earliest of the waiting leave. */
  Held takeEarliest() {
    Held earliest = room.pollFirst();
    if (earliest == null) {
      throw new IllegalStateException("nobody waits");
    }
    return earliest;
  }

  /** Lets a certain arrival leave, null when it is not here. */
  @Nullable Held take(long micros, long number) {
    Held wanted = new Held(micros, number, null, 0);
    Held found = room.ceiling(wanted);
    if (found == null || EARLIEST.compare(found, wanted) != 0) {
      return null;
    }
    room.remove(found);
    return found;
  }

  /** Lets all leave, in the order they came. */
  List<Held> takeAll() {
    List<Held> all = new ArrayList<>(room);
    all.sort(Comparator.comparingLong(held -> held.number));
    room.clear();
    return all;
  }

  int held() {
    return room.size();
  }

  /**
   * The oldest chunk that a waiting arrival is logged in, {@code Long.MAX_VALUE} when none waits.
   */
  long oldestHeldChunk() {
    long oldest = Long.MAX_VALUE;
    for (Held held : room) {
      oldest = Math.min(oldest, held.chunk);
    }
    return oldest;
  }

  /** A tick moves the clock; it never moves back. */
  void tick(long micros) {
    lastTick = Math.max(lastTick, micros);
    now = Math.max(now, micros);
  }

  /** An arrival that left a full room moves the clock. */
  void overflow(long micros) {
    now = Math.max(now, micros);
  }

  Snapshot snapshot() {
    return new Snapshot(now, lastTick, nextNumber);
  }

  void restore(Snapshot snapshot) {
    now = snapshot.now();
    lastTick = snapshot.lastTick();
    nextNumber = snapshot.nextNumber();
  }
}
