package io.servedrift.serving.score;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The images that wait for the scorer, bounded in number and bytes, and the count of all. One lock
 * holds both, so that the counts always add up; it is held for moments only. Thread-safe.
 */
final class ScoreQueue {

  /**
   * An image that waits.
   *
   * @param requestId whose it is
   * @param input what to score
   * @param offeredNanos when it came, on the monotonic timer
   */
  record Task(String requestId, ScoreInput input, long offeredNanos) {
    int bytes() {
      return input.image().rgb().length;
    }
  }

  /** What became of a batch: tasks scored or dropped, and events taken or refused by the sink. */
  static final class Outcome {
    private final Map<ScoreDropReason, Long> dropped = new EnumMap<>(ScoreDropReason.class);
    private long scored;
    private long delayNanos;
    private long accepted;
    private long refused;

    void scored(long delay) {
      scored++;
      delayNanos += delay;
    }

    void dropped(ScoreDropReason reason, long count) {
      if (count > 0) {
        dropped.merge(reason, count, Long::sum);
      }
    }

    void event(boolean taken) {
      accepted += taken ? 1 : 0;
      refused += taken ? 0 : 1;
    }

    long settled() {
      return scored + dropped.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private final int maxWaiting;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Task> waiting = new ArrayDeque<>();
  private final Map<ScoreDropReason, Long> dropped = new EnumMap<>(ScoreDropReason.class);
  private long waitingBytes;
  private int running;
  private long offered;
  private long skipped;
  private long scored;
  private long batches;
  private long busyNanos;
  private long delayNanos;
  private long accepted;
  private long refused;
  private boolean closed;
  private boolean abandoned;

  ScoreQueue(int maxWaiting, long maxBytes) {
    this.maxWaiting = maxWaiting;
    this.maxBytes = maxBytes;
  }

  /** Counts an image that the sampling did not select. */
  void skip() {
    lock.lock();
    try {
      offered++;
      skipped++;
    } finally {
      lock.unlock();
    }
  }

  /** Counts an image that cannot even wait. */
  void drop(ScoreDropReason reason) {
    lock.lock();
    try {
      offered++;
      dropped.merge(reason, 1L, Long::sum);
    } finally {
      lock.unlock();
    }
  }

  /** Lets an image wait if there is room. */
  boolean offer(Task task) {
    lock.lock();
    try {
      ScoreDropReason reason = refusal(task);
      if (reason != null) {
        drop(reason);
        return false;
      }
      offered++;
      waiting.add(task);
      waitingBytes += task.bytes();
      changed.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable ScoreDropReason refusal(Task task) {
    if (closed) {
      return ScoreDropReason.CLOSED;
    }
    boolean full = waiting.size() >= maxWaiting || waitingBytes + task.bytes() > maxBytes;
    return full ? ScoreDropReason.QUEUE_FULL : null;
  }

  /**
   * Takes what waits, oldest first; waits for the first.
   *
   * @param most how many at most
   * @return empty when the queue is closed and nothing waits
   */
  List<Task> take(int most) {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      List<Task> batch = new ArrayList<>();
      while (batch.size() < most && !waiting.isEmpty()) {
        Task task = waiting.remove();
        waitingBytes -= task.bytes();
        batch.add(task);
      }
      running += batch.size();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Counts what became of a batch that was taken; after {@link #abandon} it is counted already. */
  void finished(List<Task> batch, Outcome outcome, long spentNanos) {
    lock.lock();
    try {
      batches++;
      busyNanos += spentNanos;
      accepted += outcome.accepted;
      refused += outcome.refused;
      if (!abandoned) {
        running -= batch.size();
        scored += outcome.scored;
        delayNanos += outcome.delayNanos;
        outcome.dropped.forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes nothing more; what waits can still be taken. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops what waits and what runs. */
  void abandon() {
    lock.lock();
    try {
      long left = (long) waiting.size() + running;
      if (left > 0) {
        dropped.merge(ScoreDropReason.CLOSED, left, Long::sum);
      }
      waiting.clear();
      waitingBytes = 0;
      running = 0;
      abandoned = true;
    } finally {
      lock.unlock();
    }
  }

  boolean abandoned() {
    lock.lock();
    try {
      return abandoned;
    } finally {
      lock.unlock();
    }
  }

  AsyncScorerCounts counts() {
    lock.lock();
    try {
      return new AsyncScorerCounts(
          offered,
          skipped,
          scored,
          dropped,
          waiting.size(),
          waitingBytes,
          running,
          batches,
          Duration.ofNanos(busyNanos),
          Duration.ofNanos(delayNanos),
          accepted,
          refused);
    } finally {
      lock.unlock();
    }
  }
}
