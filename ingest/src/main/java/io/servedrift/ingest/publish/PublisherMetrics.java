package io.servedrift.ingest.publish;

/**
 * What became of the events offered to a publisher, at one instant. No event is ever unaccounted
 * for; in every snapshot
 *
 * <pre>
 * offered = published + dropped{buffer_full, too_large, encode_error, broker_error, closed} + in_flight
 * </pre>
 *
 * where each is counted by itself. After {@link EventPublisher#close()} nothing is in flight, once
 * the calls that met the close have returned. Counts are events since the publisher was made.
 */
public interface PublisherMetrics {

  /** Calls of {@code offer} and {@code publish}. */
  long offered();

  /** Events acknowledged by the broker. */
  long published();

  /** Events dropped for this reason. */
  long dropped(DropReason reason);

  /** Events in the buffer or on their way to the broker. */
  long inFlight();

  /** Bytes of the buffer in use by the events in flight. */
  long inFlightBytes();

  /** Events dropped for any reason. */
  default long dropped() {
    long sum = 0;
    for (DropReason reason : DropReason.values()) {
      sum += dropped(reason);
    }
    return sum;
  }
}
