package io.servedrift.monitors.gate.run;

import java.util.concurrent.CompletableFuture;

/** Asks an endpoint for one item without waiting. Thread-safe. */
@FunctionalInterface
interface Ask {
  /**
   * Asks.
   *
   * @return completes with what came of it, never exceptionally; cancelling it gives the call up
   */
  CompletableFuture<Reply> ask(Item item);
}
