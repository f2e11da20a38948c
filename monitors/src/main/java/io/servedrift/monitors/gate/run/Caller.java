package io.servedrift.monitors.gate.run;

import java.util.concurrent.CompletableFuture;

/** Sends calls without waiting for their answers. Thread-safe. */
@FunctionalInterface
interface Caller {
  /**
   * Sends one.
   *
   * @return completes with what came of it, never exceptionally; cancelling it gives the call up
   */
  CompletableFuture<Reply> send(Call call);
}
