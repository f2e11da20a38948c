package io.servedrift.ingest.adapters;

import java.time.Instant;

/**
 * Reads the lines of one source, in the order of the source. Not thread-safe; one per run, over all
 * files of the run.
 */
public interface Adapter {
  /** Takes a line that is not blank. Never throws for what it says. */
  void take(SourceLine line, AdapterOutput out);

  /**
   * Gives what waited for a partner that has not come. Called while a live source is followed, with
   * the clock's time; never for files of history, in which only their own times pass.
   */
  default void pass(Instant now, AdapterOutput out) {}

  /**
   * Gives what is still held. Nothing may be taken afterwards.
   *
   * @throws UnfitSourceException when the source as a whole must not be used
   */
  default void end(AdapterOutput out) throws UnfitSourceException {}
}
