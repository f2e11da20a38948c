package io.servedrift.ingest.publish;

import java.util.concurrent.CompletableFuture;
import org.apache.avro.specific.SpecificRecord;

/**
 * Where events go. Neither method waits for anything. An event that was handed over is the sink's:
 * it may be encoded later, on another thread, and must not be changed any more; reading it is fine.
 * Implementations are thread-safe.
 */
public interface EventSink {

  /**
   * Hands an event over and forgets it.
   *
   * @return false when the event was dropped at once (and counted); true promises an attempt only:
   *     it may still be dropped, also because it cannot be encoded
   */
  boolean offer(SpecificRecord event);

  /**
   * Hands an event over and tells its fate: done when the broker has acknowledged it, else failed
   * with {@link EventDroppedException}; at once when there is no room. Dependent stages should be
   * asynchronous: the future may complete on the thread that talks to the broker.
   */
  CompletableFuture<Published> publish(SpecificRecord event);
}
