package io.servedrift.serving.cli;

import java.util.concurrent.CompletableFuture;

/** What a command started and closes in order when a signal comes. */
interface RunningServer extends AutoCloseable {

  /** Completes when it cannot go on and must be closed. */
  CompletableFuture<Void> failure();

  /** Where it listens, as a URL. */
  String address();

  @Override
  void close();
}
