package io.servedrift.ingest.follow;

import io.servedrift.ingest.adapters.UnfitSourceException;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/** A source that is read on as it grows, and published at least once. Not thread-safe. */
public interface Following extends Closeable {
  /**
   * Follows until stopped, then remembers the place.
   *
   * @param stopped asked after every look
   * @param pause waits when there is nothing to do
   * @throws UnfitSourceException when the source is such that none of it should have been used
   */
  void run(BooleanSupplier stopped, Runnable pause) throws IOException, UnfitSourceException;

  /** How many lines or records were read so far. */
  long lines();

  /**
   * How many records are known to be there and were not read yet; 0 where that is not known, as of
   * files.
   */
  default long behind() {
    return 0;
  }

  /** What became of what was read so far. */
  FollowCounts counts();
}
