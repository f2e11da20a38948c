package io.servedrift.monitors.pane;

import io.servedrift.monitors.pane.PartitionAggregator.LoggedChunk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The arrivals that a partition may still refer to, in numbered chunks: filled as they come, handed
 * out before each commit, dropped when event time has passed all they are needed for. Not
 * thread-safe.
 */
final class ChunkedLog {
  private static final int CHUNK_BYTES = 256 * 1024;

  private final ArrivalLog open = new ArrivalLog();
  private final List<LoggedChunk> finished = new ArrayList<>();
  private final Deque<Life> chunks = new ArrayDeque<>();
  private long number;

  /** How long a chunk is needed: until both clocks pass {@code until}. */
  private static final class Life {
    final long number;
    long until = PartitionClock.NEVER;

    Life(long number) {
      this.number = number;
    }
  }

  ChunkedLog(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    begin(requests, scores);
  }

  /** Number of the chunk that the next arrival goes into. */
  long current() {
    return number;
  }

  /** Adds an arrival to the current chunk. */
  void append(Channel channel, Arrival arrival) {
    open.append(channel, arrival);
  }

  /**
   * Ends the current chunk when it is large enough; the clocks are those after its last arrival.
   */
  void cut(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    if (open.size() >= CHUNK_BYTES) {
      finish(requests, scores);
    }
  }

  /** Says that a chunk is needed until both clocks pass {@code until}. */
  void need(long chunk, long until) {
    for (Life life : (Iterable<Life>) chunks::descendingIterator) {
      if (life.number == chunk) {
        life.until = Math.max(life.until, until);
        return;
      }
    }
  }

  /** All chunks finished since the last call, the current one included. */
  List<LoggedChunk> drain(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    if (!open.isEmpty()) {
      finish(requests, scores);
    }
    List<LoggedChunk> drained = List.copyOf(finished);
    finished.clear();
    return drained;
  }

  /**
   * Numbers of chunks that nothing refers to any more.
   *
   * @param passed event time that both clocks have reached
   * @param oldestHeld oldest chunk with an arrival that still waits for a tick
   */
  List<Long> obsolete(long passed, long oldestHeld) {
    List<Long> numbers = new ArrayList<>();
    // The newest stored chunk stays even if nothing refers to it: it carries the clocks.
    while (chunks.size() > 2
        && chunks.getFirst().until <= passed
        && chunks.getFirst().number < oldestHeld) {
      numbers.add(chunks.removeFirst().number);
    }
    return numbers;
  }

  /** Goes on with the numbers of stored chunks; each is then read again by the owner. */
  void resume(Iterable<Long> stored) {
    chunks.clear();
    for (long chunk : stored) {
      chunks.add(new Life(chunk));
    }
  }

  /** While stored chunks are read again: the chunk whose arrivals come next. */
  void reading(long chunk) {
    number = chunk;
  }

  /** After the last stored chunk was read. */
  void resumed(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    number++;
    begin(requests, scores);
  }

  private void finish(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    finished.add(new LoggedChunk(number, open.toBytes()));
    number++;
    begin(requests, scores);
  }

  private void begin(PartitionClock.Snapshot requests, PartitionClock.Snapshot scores) {
    open.begin(requests, scores);
    chunks.add(new Life(number));
  }
}
