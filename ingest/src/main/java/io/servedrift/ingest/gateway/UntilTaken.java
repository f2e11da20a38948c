package io.servedrift.ingest.gateway;

import io.servedrift.ingest.publish.EventDroppedException;
import io.servedrift.ingest.publish.EventSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.avro.specific.SpecificRecord;

/**
 * The few events that are not said again by themselves, in order, each offered until the broker has
 * it: a configuration that falls into an outage would be unknown for as long as it is in force. Not
 * thread-safe.
 */
final class UntilTaken {

  /** Changes of a configuration in one outage; beyond that the oldest are given up. */
  static final int MOST = 256;

  private final EventSink sink;
  private final Deque<SpecificRecord> waiting = new ArrayDeque<>();

  UntilTaken(EventSink sink) {
    this.sink = sink;
  }

  /**
   * Adds an event.
   *
   * @return how many older ones were given up for it
   */
  int add(SpecificRecord event) {
    waiting.add(event);
    int over = Math.max(0, waiting.size() - MOST);
    for (int i = 0; i < over; i++) {
      waiting.remove();
    }
    return over;
  }

  /**
   * Offers what waits, once; waits for the broker's answers, at most as long as the sink does.
   *
   * @return how many can never be published, and wait no more
   */
  int offer() throws InterruptedException {
    List<SpecificRecord> offered = new ArrayList<>(waiting);
    List<CompletableFuture<?>> fates = new ArrayList<>(offered.size());
    offered.forEach(event -> fates.add(sink.publish(event)));
    int never = 0;
    for (int i = 0; i < offered.size(); i++) {
      try {
        fates.get(i).get();
        waiting.removeFirstOccurrence(offered.get(i));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof EventDroppedException dropped && dropped.reason().isFinal()) {
          waiting.removeFirstOccurrence(offered.get(i));
          never++;
        }
      }
    }
    return never;
  }
}
