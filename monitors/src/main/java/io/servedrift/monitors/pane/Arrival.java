package io.servedrift.monitors.pane;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a partition, in offset order: the whole input of a {@link
 * PartitionAggregator}. The state of an aggregator is a pure function of its arrivals, which is how
 * it is restored after a crash.
 */
sealed interface Arrival {
  /** Event time, microseconds. */
  long micros();

  /** A request on the requests topic. */
  @SuppressWarnings("ArrayRecordComponent") // carried along, never compared
  record Request(ServedRequest request, String origin, byte @Nullable [] payload)
      implements Arrival {
    @Override
    public long micros() {
      return request.finishedMicros();
    }
  }

  /** A late score on the scores topic. */
  @SuppressWarnings("ArrayRecordComponent") // carried along, never compared
  record Score(
      String deployment,
      String requestId,
      ServedRequest.Value value,
      long micros,
      String origin,
      byte @Nullable [] payload)
      implements Arrival {}

  /** A tick on either topic. */
  record Tick(long micros) implements Arrival {}

  /**
   * A request or score that had to wait for a tick.
   *
   * @param number how many had to wait before it in its topic
   */
  record Waiting(long number, Arrival arrival) implements Arrival {
    @Override
    public long micros() {
      return arrival.micros();
    }
  }

  /**
   * The earliest of the waiting left a full room and moved the clock. Said in the log, because a
   * restored room may hold less than it did.
   */
  record Overflow(long number, long micros) implements Arrival {}
}
