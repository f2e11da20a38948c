package io.servedrift.serving.cache;

import java.time.Duration;

/**
 * The right to use a value; it is not freed before every lease on it is closed, even when the cache
 * drops it meanwhile. Thread-safe.
 *
 * @param <V> type of the value
 */
public interface Lease<V> extends AutoCloseable {

  /** The value; valid until {@link #close}. */
  V value();

  /** Whether it was found in the cache. */
  boolean hit();

  /** For how long the entry had been in the cache when it was found; zero when it was not. */
  Duration age();

  /** Gives the value back; calling it again does nothing. */
  @Override
  void close();
}
