package io.servedrift.serving.engine;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.serving.cache.Lease;

/**
 * A request's use of a conditioning.
 *
 * @param lease holds it; closed with the request
 * @param outcome what the conditioning cache did for it
 */
record Conditioned(Lease<Conditioning> lease, CacheOutcome outcome) implements AutoCloseable {

  Conditioning value() {
    return lease.value();
  }

  /** Whether it was found in the conditioning cache. */
  boolean hit() {
    return outcome == CacheOutcome.HIT;
  }

  @Override
  public void close() {
    lease.close();
  }
}
