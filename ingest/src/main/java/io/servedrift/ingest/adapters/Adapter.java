package io.servedrift.ingest.adapters;

import java.time.Instant;
import java.util.function.Consumer;

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
   * Tells the places of the records that wait for a partner: whoever reads the source anew after a
   * crash has to read these again, and no others. Of the formats for which the order of records
   * matters it tells nothing.
   */
  default void held(Consumer<SourceLine> each) {}

  /** How many records {@link #held} would tell. */
  default int waiting() {
    return 0;
  }

  /**
   * Refuses a source that is known to be unfit by now. Called now and then while a live source is
   * followed.
   *
   * @throws UnfitSourceException when the source as a whole must not be used
   */
  default void require() throws UnfitSourceException {}

  /**
   * Gives what is still held; of records that {@link #held} tells no event, as they are read again.
   * Nothing may be taken afterwards.
   *
   * @throws UnfitSourceException when the source as a whole must not be used
   */
  default void end(AdapterOutput out) throws UnfitSourceException {}
}
